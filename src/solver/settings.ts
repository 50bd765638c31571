// The names of the settings that the solver reads, apart from its modules: help lists them without loading the solver.

export const SOLVER_SETTINGS = [
  'ZONESTEAD_LOG_LEVEL',
  'ZONESTEAD_HEALTH_LISTEN',
  'ZONESTEAD_SOLVER_LISTEN',
  'ZONESTEAD_TLS_CERT_FILE',
  'ZONESTEAD_TLS_KEY_FILE',
  'ZONESTEAD_SOLVER_CERTIFICATE',
  'ZONESTEAD_SOLVER_SERVICE',
  'KUBECONFIG',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
] as const;
