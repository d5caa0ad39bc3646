"""Who may do what: requests as questions, rules, roles and bindings, and the answers.

``rules`` is pure; ``policy`` keeps the stored roles and bindings ready; ``authorizer`` decides.
Nothing here knows how a caller proved who they are.
"""
