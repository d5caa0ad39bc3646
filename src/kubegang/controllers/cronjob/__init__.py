"""Jobs for CronJobs: made when their time comes, watched, and cleaned up."""
