{{- define "kubegang.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "kubegang.serviceAccount" -}}
{{- default (include "kubegang.name" .) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "kubegang.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "kubegang.labels" -}}
{{ include "kubegang.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "kubegang.configuration" -}}
{{- $lease := dict "leaderElect" true "resourceName" (include "kubegang.name" .) "resourceNamespace" .Release.Namespace -}}
{{- $fixed := dict "apiVersion" "kubescheduler.config.k8s.io/v1" "kind" "KubeSchedulerConfiguration" "leaderElection" $lease -}}
{{- mergeOverwrite (deepCopy .Values.configuration) $fixed | toYaml -}}
{{- end -}}
