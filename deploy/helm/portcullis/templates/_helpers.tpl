{{/* Base name of all resources, short enough for the suffix "-migrate". */}}
{{- define "portcullis.name" -}}
{{- if eq .Release.Name "portcullis" -}}
portcullis
{{- else -}}
{{- printf "%s-portcullis" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Selector labels. Never change them: a Deployment's selector is immutable. */}}
{{- define "portcullis.selector" -}}
app.kubernetes.io/name: portcullis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "portcullis.labels" -}}
{{ include "portcullis.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "portcullis.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end -}}

{{/* Settings: secrets by reference, others by value. */}}
{{- define "portcullis.env" -}}
{{- $secret := required "secretName: name the Secret that holds DATABASE_URL, REDIS_URL and SECRET_KEY" .Values.secretName -}}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: DATABASE_URL } }
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: REDIS_URL } }
- name: SECRET_KEY
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: SECRET_KEY } }
- name: API_KEYS
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: API_KEYS, optional: true } }
- name: OIDC_CLIENT_SECRET
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: OIDC_CLIENT_SECRET, optional: true } }
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "portcullis.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "portcullis.containerSecurity" -}}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
{{- end -}}

{{/* Pod placement. */}}
{{- define "portcullis.placement" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
