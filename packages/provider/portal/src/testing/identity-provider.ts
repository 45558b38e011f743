import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export interface Account {
  readonly subject: string;
  readonly groups: readonly string[];
}

export interface IdentityProvider {
  readonly url: string;
  /** The next person to sign in, without a question. */
  person: Account;
  /** Changes a person at the identity provider from then on; undefined: removes the person. */
  change(subject: string, account: Account | undefined): void;
  close(): Promise<void>;
}

export const clientId = 'hawser';
export const clientSecret = 'a-secret-of-the-client-0123456789';

/** A real identity provider on the loopback interface; people sign in without a page. */
export async function startIdentityProvider(callbackUrls: readonly string[]): Promise<IdentityProvider> {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, Account>();
  const own = { person: { subject: 'jane', groups: ['databases'] } as Account };
  const provider = new Provider(url, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [...callbackUrls],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    conformIdTokenClaims: false,
    cookies: { keys: ['a-key-of-this-test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => {
      const account = accounts.get(accountId);
      if (account === undefined) return undefined;
      return { accountId, claims: () => ({ sub: accountId, name: accountId, groups: [...account.groups] }) };
    },
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope('openid profile email groups offline_access');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      void answer(request, response);
      return;
    }
    accounts.set(own.person.subject, own.person);
    void provider.interactionFinished(request, response, { login: { accountId: own.person.subject }, consent: {} });
  });
  return Object.assign(own, {
    url,
    change: (subject: string, account: Account | undefined) => {
      if (account === undefined) accounts.delete(subject);
      else accounts.set(subject, account);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  });
}
