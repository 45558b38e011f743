import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose';

/** Fault of its ID tokens. */
export type Forgery =
  | 'none'
  | 'unsigned'
  | 'wrong-key'
  | 'wrong-audience'
  | 'wrong-issuer'
  | 'expired'
  | 'no-nonce'
  | 'foreign-nonce'
  | 'hmac-with-the-secret';

export interface ForgingIssuer {
  readonly url: string;
  forgery: Forgery;
  subject: string;
  groups: readonly string[];
  close(): Promise<void>;
}

/** An identity provider that answers everything with invalid ID tokens. It grants every request at once. */
export async function startForgingIssuer(clientId: string, clientSecret: string): Promise<ForgingIssuer> {
  const right = await generateKeyPair('RS256');
  const wrong = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(right.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, string>();
  const own = { forgery: 'none' as Forgery, subject: 'jane', groups: [] as readonly string[] };
  let url = '';

  const idToken = async (nonce: string): Promise<string> => {
    const { forgery } = own;
    const now = Math.floor(Date.now() / 1000);
    const claims: JWTPayload = {
      iss: forgery === 'wrong-issuer' ? 'https://issuer.example.com' : url,
      sub: own.subject,
      aud: forgery === 'wrong-audience' ? 'another-client' : clientId,
      iat: forgery === 'expired' ? now - 7200 : now,
      exp: forgery === 'expired' ? now - 3600 : now + 300,
      groups: [...own.groups],
      ...(forgery === 'no-nonce' ? {} : { nonce: forgery === 'foreign-nonce' ? 'of-another-sign-in' : nonce }),
    };
    if (forgery === 'unsigned') return new UnsecuredJWT(claims).encode();
    if (forgery === 'hmac-with-the-secret')
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: 'one' })
        .sign(new TextEncoder().encode(clientSecret));
    const { privateKey } = forgery === 'wrong-key' ? wrong : right;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey);
  };

  const server = createServer((request, response) => {
    const at = new URL(request.url ?? '/', url);
    const json = (body: unknown): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    };
    switch (at.pathname) {
      case '/.well-known/openid-configuration':
        json({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        });
        return;
      case '/jwks':
        json({ keys: [jwk] });
        return;
      case '/authorize': {
        const code = crypto.randomUUID();
        nonces.set(code, at.searchParams.get('nonce') ?? '');
        const target = new URL(at.searchParams.get('redirect_uri') ?? '');
        target.searchParams.set('code', code);
        target.searchParams.set('state', at.searchParams.get('state') ?? '');
        response.writeHead(302, { location: target.href }).end();
        return;
      }
      case '/token': {
        let body = '';
        request.on('data', (part: Buffer) => (body += part.toString()));
        request.on('end', () => {
          const nonce = nonces.get(new URLSearchParams(body).get('code') ?? '') ?? '';
          void idToken(nonce).then((id_token) => {
            json({ access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token });
          });
        });
        return;
      }
      default:
        response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(own, {
    url,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  });
}
