import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '@hawser/clock';
import type Provider from 'oidc-provider';
import type { Configuration, FindAccount, KoaContextWithOIDC } from 'oidc-provider';
import { createMemory } from './memory.js';
import { refusalPage } from './page.js';
import { people } from './people.js';

export const CLIENT_ID = 'hawser';
export const INTERACTION_PATH = '/interaction/';
const SCOPES = ['openid', 'profile', 'email', 'groups'];

export interface OpenIdOptions {
  /** Its own address. */
  readonly url: string;
  readonly clientSecret: string;
  /** Where the portal takes people back. */
  readonly callbackUrl: string;
  readonly clock: Clock;
}

/** The protocol. It is loaded here, and not before: a process with a real identity provider never does. */
export async function openIdProvider(options: OpenIdOptions): Promise<Provider> {
  const { default: OpenIdProvider, interactionPolicy } = await import('oidc-provider');
  const { base, Check } = interactionPolicy;
  const policy = base();
  // Whoever signs out of the portal is asked again: to be the other person.
  policy
    .get('login')
    ?.checks.add(
      new Check('person_not_chosen', 'a person is chosen at each sign-in', ({ oidc }) =>
        oidc.result?.login === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  const configuration = await configurationOf(options);
  return new OpenIdProvider(options.url, {
    ...configuration,
    interactions: { policy, url: (_, { uid }) => `${INTERACTION_PATH}${uid}` },
  });
}

async function configurationOf({ clientSecret, callbackUrl, clock }: OpenIdOptions): Promise<Configuration> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2_048 });
  return {
    adapter: createMemory(clock),
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [callbackUrl],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'trial', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: SCOPES,
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email'], groups: ['groups'] },
    // All of them in the ID token, as most identity providers have it.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 3_600, IdToken: 600, Interaction: 600, Session: 3_600 },
    findAccount,
    loadExistingGrant: grantOf,
    renderError: (ctx, { error }) => {
      ctx.type = 'html';
      ctx.body = refusalPage(`The sign-in does not hold (${error}). Start again at the portal.`);
    },
  };
}

const findAccount: FindAccount = (_, accountId) => {
  const person = people.find(({ subject }) => subject === accountId);
  if (person === undefined) return undefined;
  const { subject, name, groups } = person;
  return {
    accountId,
    claims: () => ({
      sub: subject,
      name,
      preferred_username: subject,
      email: `${subject}@example.com`,
      groups: [...groups],
    }),
  };
};

/** Nobody is asked what the portal may know: it is the only client. */
async function grantOf({ oidc }: KoaContextWithOIDC): Promise<InstanceType<Provider['Grant']> | undefined> {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope(SCOPES.join(' '));
  await grant.save();
  return grant;
}
