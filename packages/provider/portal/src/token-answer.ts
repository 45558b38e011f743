import type { RenewableToken } from './refreshes.js';

/** Answer to a terminal that has proved its claim to the token. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  /** Valid for one renewal. Absent: none. */
  readonly refresh_token?: string;
  /** At the identity provider; `name` is for display, and proves nothing. */
  readonly subject: string;
  readonly name?: string;
}

/** `now`: milliseconds since the epoch. */
export function tokenAnswer(
  { token, expires, refreshToken, person: { subject, name } }: RenewableToken,
  now: number,
): TokenAnswer {
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((expires - now) / 1_000)),
    subject,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    ...(name === undefined ? {} : { name }),
  };
}
