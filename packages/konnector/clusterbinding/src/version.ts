import { VersionError, konnectorVersion } from '@hawser/kube-bind';

/** Value for konnectorVersion; `error` if the build's version cannot be read. */
export interface ReportedVersion {
  readonly value: string;
  readonly error?: string | undefined;
}

/** Parses a release (`v0.8.1`) or build version (`v1.35.1+kube-bind-v0.8.1-12-gabc`, spec/konnector.md §2.2). */
export function reportedVersion(version: string): ReportedVersion {
  if (/^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/u.test(version) && !version.startsWith('v0.0.0-')) return { value: version };
  try {
    return { value: konnectorVersion(version) };
  } catch (error) {
    if (error instanceof VersionError) return { value: 'unknown', error: error.message };
    throw error;
  }
}
