import type { RenewableToken } from './refreshes.js';

/** What a terminal is sent once it has proved that the token is for it. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  /** Worth one renewal. Absent: there is none. */
  readonly refresh_token?: string;
  /** With the identity provider; `name` is for people to read, and proves nothing. */
  readonly subject: string;
  readonly name?: string;
}

/** `now` is in milliseconds since the epoch. */
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
