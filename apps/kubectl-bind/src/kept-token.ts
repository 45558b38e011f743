import type { Terminal } from '@hawser/commands';
import { keyringOf } from './keyring.js';
import type { Token } from './portal-api.js';
import type { ServerEntry } from './server-file.js';

/** Keyring account for the refresh token of a login. */
function renewalAccount(key: string): string {
  return `renewal+${key}`;
}

/**
 * Stores a token in the keyring if it accepts it; returns the rest, and the expiry, for the entry in the file.
 * `useKeyring`: false if the person wants the file.
 */
export async function keepToken(
  key: string,
  token: Token,
  env: Terminal['env'],
  useKeyring: boolean,
): Promise<{ readonly kept: Partial<ServerEntry>; readonly keyringName: string | undefined }> {
  const keyring = useKeyring ? keyringOf(env) : undefined;
  const { access_token: accessToken, refresh_token: refreshToken, token_type: tokenType, expires_in: seconds } = token;
  const hasAccess = (await keyring?.set(key, accessToken)) === true;
  const hasRenewal = hasAccess && refreshToken !== undefined && (await keyring?.set(renewalAccount(key), refreshToken));
  return {
    kept: {
      accessToken: hasAccess ? undefined : accessToken,
      keyring: hasAccess ? true : undefined,
      refreshToken: hasRenewal === true ? undefined : refreshToken,
      tokenType,
      expiresAt: new Date(Date.now() + seconds * 1_000).toISOString(),
    },
    keyringName: hasAccess ? keyring?.name : undefined,
  };
}

/** The token of a login, from keyring or file. */
export async function tokenOf(key: string, entry: ServerEntry, env: Terminal['env']): Promise<string | undefined> {
  return entry.keyring === true ? keyringOf(env)?.get(key) : entry.accessToken;
}

/** The refresh token of a login, from keyring or file. */
export async function refreshTokenOf(
  key: string,
  { keyring, refreshToken }: ServerEntry,
  env: Terminal['env'],
): Promise<string | undefined> {
  return refreshToken ?? (keyring === true ? keyringOf(env)?.get(renewalAccount(key)) : undefined);
}

/** Removes a login from the keyring. */
export async function forgetToken(key: string, env: Terminal['env']): Promise<void> {
  const keyring = keyringOf(env);
  await keyring?.delete(key);
  await keyring?.delete(renewalAccount(key));
}
