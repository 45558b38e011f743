// Where the web part of the Go backend leaks, hangs or reaches too far, and what ours does. Named after
// spec/kube-bind-backend.md §19.
import { type Entry, test } from './entry.ts';

const portal = (title: string): Entry['shownBy'] => test('provider/portal/portal.integration', title);

export const backendEntries: readonly Entry[] = [
  {
    entry: 'B13',
    kind: 'leaks',
    go: 'A sign-in can end at any address, which gets the token in its query.',
    ours: 'A sign-in ends at a page of the portal, or at a loopback address with a token of five minutes.',
    shownBy: portal('sends nobody to %s after the sign-in'),
  },
  {
    entry: 'B14',
    kind: 'leaks',
    go: 'A page sends the kubeconfig in the query of any address.',
    ours: 'The kubeconfig goes only to a loopback address, after the person has agreed.',
    shownBy: test(
      'provider/portal/pages/pages.integration',
      'takes no form that was not shown to this very person, and answers no other place',
    ),
  },
  {
    entry: 'B15',
    kind: 'reaches too far',
    go: 'The state is not signed and belongs to no browser. The caller chooses the id of the session.',
    ours: 'The state is sealed in a cookie of the browser that began the sign-in. The server chooses the id of each sign-in.',
    shownBy: portal('takes the answer of a sign-in only in the browser that began it, and once'),
  },
  {
    entry: 'B16',
    kind: 'reaches too far',
    go: 'The backend verifies no ID token.',
    ours: 'The portal checks signature, issuer, audience, times and nonce.',
    shownBy: portal('judges an ID token that is forged like this: %s'),
  },
  {
    entry: 'B18',
    kind: 'leaks',
    go: 'Anyone who knows the identity of a cluster gets its kubeconfig.',
    ours: 'A cluster belongs to the first person who binds it. A group shares it, or an operator moves it.',
    shownBy: portal("refuses another person's cluster, and its owner's group shares it"),
  },
  {
    entry: 'B21',
    kind: 'leaks',
    go: 'Cookies are never `Secure`.',
    ours: 'Cookies are `Secure`, with the prefix `__Host-`, where TLS ends.',
    shownBy: portal(
      'ends TLS with a certificate that is read again when it changes, and gives cookies that go nowhere else',
    ),
  },
  {
    entry: 'B22',
    kind: 'leaks',
    go: 'A sign-out ends nothing.',
    ours: 'A sign-out takes effect on every replica, also for a copy of the cookie.',
    shownBy: portal('has a sign-out count on every replica, and gives each sign-in another session'),
  },
  {
    entry: 'B23',
    kind: 'hangs',
    go: 'Each process has its own keys: a restart or another replica ends all sign-ins.',
    ours: 'The keys are in a Secret, and are rotated with overlap.',
    shownBy: portal('lets 200 people in while one of two replicas goes and comes back, and its keys are rotated'),
  },
  {
    entry: 'B26',
    kind: 'reaches too far',
    go: 'Nothing protects against forms of other sites.',
    ours: 'The portal compares origins, and each form proves that it was shown to this person.',
    shownBy: portal('refuses what another site has a browser send'),
  },
  {
    entry: 'B26',
    kind: 'runs hot',
    go: 'Nothing limits the requests of one address.',
    ours: 'The portal limits its requests per minute.',
    shownBy: portal('limits what one address may ask for'),
  },
  {
    entry: 'B27',
    kind: 'hangs',
    go: 'Unknown paths of the API answer with a page and 200.',
    ours: 'They answer 404 and 405, in the shape of the contract.',
    shownBy: portal('answers in the shape of the contract what it does not do'),
  },
  {
    entry: 'B28',
    kind: 'hangs',
    go: 'The backend describes itself with `http://` and the host that the request names.',
    ours: 'The portal gives its public address, whatever a request says.',
    shownBy: portal('says what it is, with its public address whatever Host is sent, and describes itself'),
  },
  {
    entry: 'B34',
    kind: 'reaches too far',
    go: 'The backend onboards a cluster before it looks for the template. A refused request leaves objects behind.',
    ours: 'The portal looks for the template first.',
    shownBy: portal('does not know a template that is hidden from the person, and leaves nothing behind'),
  },
  {
    entry: 'B50',
    kind: 'leaks',
    go: 'No credential can be replaced or revoked.',
    ours: 'The owner of a cluster does both on a page, and an operator by an annotation.',
    shownBy: test(
      'provider/portal/pages/binding-pages.integration',
      'have their owner replace, revoke and restore a credential, and nobody undo what an operator does',
    ),
  },
];
