import type { JsonObject } from '@hawser/json';
import type { ApiResponse, Endpoint, RequestInfo, ServerHost } from '../parts.js';
import { jsonAnswer } from './json-answer.js';

/** `/version`. */
export function versionEndpoint(host: ServerHost): Endpoint {
  return {
    handle: (_request, info: RequestInfo): ApiResponse | undefined =>
      info.path === '/version' || info.path === '/version/'
        ? jsonAnswer(versionInfo(host.kubernetesVersion))
        : undefined,
  };
}

/** apimachinery `version.Info`. Fields about Go say that this is not Go. */
function versionInfo(kubernetesVersion: string): JsonObject {
  const [major = '1', minor = '0'] = kubernetesVersion.split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${kubernetesVersion}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'hawser',
    platform: `${process.platform}/${process.arch}`,
  };
}
