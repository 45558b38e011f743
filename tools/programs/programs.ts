import { join } from 'node:path';
import type { GoProgram } from './go-program.ts';

/** Renders and installs charts. */
export const helm: GoProgram = {
  name: 'helm',
  version: '3.21.4',
  module: join(import.meta.dirname, 'helm'),
  package: 'helm.sh/helm/v3/cmd/helm',
  // Otherwise Helm assumes the Kubernetes version of its oldest library.
  variables: {
    'helm.sh/helm/v3/internal/version.version': 'v3.21.4',
    'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor': '1',
    'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor': '36',
    'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': '1',
    'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': '36',
  },
};

/** Makes clusters of containers. */
export const kind: GoProgram = {
  name: 'kind',
  version: '0.33.0',
  module: join(import.meta.dirname, 'kind'),
  package: 'sigs.k8s.io/kind',
};
