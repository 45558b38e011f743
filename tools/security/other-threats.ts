// What consumers, thieves, users of workspaces and clients of a port could do, besides single requests (e2e/src/attempts.ts), and the effect. docs/reference/threats.md shows it as tables.
import type { ThreatGroup, ThreatTest } from './threats.ts';

const test = (file: string, ...titles: readonly string[]): readonly ThreatTest[] =>
  titles.map((title) => ({ file, title }));
const all = (...tests: readonly (readonly ThreatTest[])[]): readonly [ThreatTest, ...ThreatTest[]] => {
  const [first, ...rest] = tests.flat();
  if (first === undefined) throw new Error('a threat needs a test');
  return [first, ...rest];
};
const listing = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('packages/runtime/informer/src/listing.test.ts', ...titles);
const health = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('apps/supervisor/src/health-server.test.ts', ...titles);
const own = (...titles: readonly string[]): readonly ThreatTest[] => test('e2e/src/own-rights.test.ts', ...titles);
const hostile = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('e2e/src/agent-hostile.test.ts', ...titles);
const agent = (name: string, ...titles: readonly string[]): readonly ThreatTest[] =>
  test(`packages/syncagent/syncagent-sync/src/${name}.test.ts`, ...titles);
const manager = (name: string, ...titles: readonly string[]): readonly ThreatTest[] =>
  test(`packages/syncagent/syncmanager/src/${name}.test.ts`, ...titles);

const portal = (...titles: readonly string[]): readonly [ThreatTest, ...ThreatTest[]] =>
  all(test('packages/provider/portal/src/portal.integration.test.ts', ...titles));
const pages = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('packages/provider/portal/src/pages/pages.integration.test.ts', ...titles);
const device = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('packages/provider/portal/src/pages/device.integration.test.ts', ...titles);
const klutchPortal = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('packages/provider/portal/src/klutch/klutch.integration.test.ts', ...titles);
const plugin = (...titles: readonly string[]): readonly ThreatTest[] => test('e2e/src/kubectl-bind.test.ts', ...titles);
const trial = (...titles: readonly string[]): readonly ThreatTest[] =>
  test('packages/provider/trial-issuer/src/trial-issuer.integration.test.ts', ...titles);

const gateway = (...titles: readonly string[]): readonly [ThreatTest, ...ThreatTest[]] =>
  all(test('packages/provider/gateway/src/gateway.integration.test.ts', ...titles));
const attacks = (...titles: readonly string[]): readonly [ThreatTest, ...ThreatTest[]] =>
  all(test('packages/provider/gateway/src/attacks.integration.test.ts', ...titles));
const leaks = (...titles: readonly string[]): readonly [ThreatTest, ...ThreatTest[]] =>
  all(test('packages/provider/gateway/src/leaks.integration.test.ts', ...titles));

export const otherThreatGroups: readonly ThreatGroup[] = [
  {
    title: 'A consumer behind the gateway',
    who: 'a consumer that …',
    threats: [
      {
        threat: 'lists and watches in the whole cluster, under any isolation and scope',
        outcome: 'refused',
        answer:
          'The consumer gets only its own objects. On the API server itself it has no right to read in the whole cluster.',
        reasons: [],
        tests: gateway(
          'shows each consumer its own %s, which it cannot list on the API server, and the API server has the last word on writes',
          'watches for all consumers with one watch, and tells each of its own',
        ),
      },
      {
        threat: "asks for another consumer's objects by name, to learn whether they exist",
        outcome: 'refused',
        answer:
          'The gateway answers as for an object that does not exist. Only a create under isolation `None` shows that a name is taken.',
        reasons: [],
        tests: gateway('answers for %s of another as for those that do not exist, whatever is asked'),
      },
      {
        threat: 'measures response times, to learn whether another consumer has a name or a namespace',
        outcome: 'refused',
        answer:
          "The gateway sends the same requests to the API server for another consumer's name as for an unused name, and gets the same answers. This holds even if the attacker owns objects with similar names.",
        reasons: [],
        tests: all(
          attacks(
            'makes the gateway ask the API server the same, whether a name of %s is that of another or nobody has it',
            'makes the gateway ask the API server nothing of a namespace, whether it is that of another or there is none',
          ),
          test(
            'packages/provider/gateway/src/page.test.ts',
            'does the same work for a list in the namespace "%s", so that its time does not tell what others have there',
          ),
          test(
            'packages/provider/gateway/src/reads.test.ts',
            'is asked for when it is known whose it is: that of another never, also as the first thing that is asked of a gateway',
          ),
        ),
      },
      {
        threat:
          'sends requests of all kinds: selectors, versions, continue tokens of others, escapes and dots in paths, other identities in headers, unknown formats',
        outcome: 'refused',
        answer:
          'The gateway refuses requests that it does not understand. It builds each forwarded request anew, with a few headers and its own token.',
        reasons: [],
        tests: all(leaks('never shows a word of another, whatever is asked'), attacks('gets nothing of another by %s')),
      },
      {
        threat: 'smuggles a request behind another one, upgrades the connection, or speaks HTTP/2',
        outcome: 'refused',
        answer: 'The connection ends. The gateway speaks only HTTP/1.1.',
        reasons: [],
        tests: leaks(
          'answers no request that was smuggled behind another',
          'tells nothing of others by an upgrade, and nothing over HTTP/2',
        ),
      },
      {
        threat: 'tries everything possible on an API server, under any isolation and informer scope',
        outcome: 'refused',
        answer:
          "No answer contains another consumer's data, and nothing of another consumer changes. The answers for a consumer that does not exist are the same.",
        reasons: [],
        tests: all(
          test(
            'e2e/src/isolation-gateway.test.ts',
            'that $tries does not get beyond the gateway, or is stopped by $stop',
            'has written nowhere but where it may, as the audit log has it, which names the consumer',
          ),
        ),
      },
      {
        threat:
          'gets a namespace under isolation `None` that another consumer had before, and asks for old versions, to read claimed objects there',
        outcome: 'refused',
        answer:
          'The gateway answers 410 to lists, watches and continue tokens from before the consumer got the namespace. The API server itself answers them, as long as it remembers: five minutes by default.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/claims.integration.test.ts',
            'shows none of what was in a namespace of that name while it was another consumer’s, whatever version is asked for',
          ),
        ),
      },
      {
        threat: "asks for another consumer's namespace under isolation `None`, to read claimed objects there",
        outcome: 'refused',
        answer:
          'The gateway serves claimed objects only in a namespace that one consumer has alone. A second consumer in the namespace ends that for both.',
        reasons: ['ClaimedObjectsShared'],
        tests: all(
          test(
            'e2e/src/isolation-gateway.test.ts',
            'is served claimed objects only while no other consumer has the namespace, and is told so',
          ),
        ),
      },
      {
        threat: 'has a write under way while another consumer takes the name, so that the refusal shows the new object',
        outcome: 'refused',
        answer:
          'The gateway passes a refusal on only if the object still belongs to no other consumer. Otherwise it answers that the name does not exist, or is taken.',
        reasons: [],
        tests: gateway('says nothing of an object of another that has taken the name while a write was under way: %s'),
      },
      {
        threat: 'bypasses the gateway and uses its right to patch in the whole cluster on the API server itself',
        outcome: 'bounded',
        answer:
          'It changes nothing of another consumer. But the API server answers an ill-fitting patch with the whole object, before admission. Operators must close the API server to the networks of consumers; the provider role says so when it starts.',
        reasons: [],
        tests: gateway(
          'cannot keep contents from who reaches the API server itself: a patch that does not fit is answered with the object',
        ),
      },
      {
        threat: 'keeps a watch open after its access was revoked or withdrawn',
        outcome: 'refused',
        answer: 'The watch ends within two seconds.',
        reasons: [],
        tests: gateway('ends the watches of a consumer whose ServiceAccount goes, within two seconds'),
      },
    ],
  },
  {
    title: 'What a consumer costs the provider',
    who: 'a consumer that …',
    threats: [
      {
        threat: 'sends a gateway endless bodies, sends bodies with reads, or disconnects in the middle of a write',
        outcome: 'bounded',
        answer:
          'The consumer uses up only its own turns. The gateway answers a read without its body, and ends a write when its client leaves.',
        reasons: [],
        tests: attacks(
          'takes only its own turns with bodies that do not come',
          'makes the gateway wait for no body of a read',
          'leaves no request behind on the API server when it goes in the middle of a write',
        ),
      },
      {
        threat: 'asks a gateway for many old versions at once, each of which costs a list of all objects',
        outcome: 'bounded',
        answer:
          'The gateway reads one old version at a time for each consumer. Requests for a version that is being read share it.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/source-old.test.ts',
            'are read one at a time for each consumer, however many it asks for, and at once for others',
          ),
        ),
      },
      {
        threat: 'sends many tokens to a gateway at once, to keep others out',
        outcome: 'bounded',
        answer:
          'The gateway verifies each token once, some at a time. Client addresses take turns, so others wait for one turn. 2 000 tokens of one address may wait, and 4 000 of all; more get 429.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/identity.test.ts',
            'asks about each of 300 new tokens once, in turns, and turns none away',
          ),
          test('packages/provider/gateway/src/queues.test.ts', 'lets one that asks much not go before others'),
          test('packages/provider/gateway/src/queues.test.ts', 'refuses what is too much of one, and of all together'),
        ),
      },
      {
        threat:
          'opens as many connections to a gateway as it can, or sends TLS handshakes and request heads that do not end',
        outcome: 'bounded',
        answer:
          'One client address gets 4 000 of the 20 000 connections of a process. The gateway refuses and closes more, also before TLS. It ends a connection whose handshake or request head takes longer than 15 s. An attacker with many addresses can take all connections.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/server.test.ts',
            'refuses connections of one address beyond its bound, says why, and serves other addresses meanwhile',
          ),
          test(
            'packages/provider/gateway/src/server.test.ts',
            'ends more than a few of them without the work of an answer, and counts each',
          ),
          test('packages/provider/gateway/src/server.test.ts', 'ends a connection whose TLS handshake does not come'),
          test('packages/provider/gateway/src/server.test.ts', 'ends a connection that sends %s'),
        ),
      },
      {
        threat: 'fills lists with objects of 1.3 MB, to make a page longer than the read limit',
        outcome: 'bounded',
        answer: 'Hawser shrinks pages until they fit. It skips an object that does not fit alone, and reports it.',
        reasons: [],
        tests: all(
          listing(
            'are asked for again with fewer objects, until they fit, and with more where objects are small again',
            'pass over an object that does not fit alone: what was known of it stays, and it is said',
          ),
          test(
            'packages/provider/exportrbac/src/consumer-bounds.integration.test.ts',
            'refuse a large Secret of a name that the provider role reads',
          ),
        ),
      },
      {
        threat: 'makes the provider validate large, deep or slow objects when a CRD changes',
        outcome: 'bounded',
        answer:
          'Hawser validates one consumer at a time, limited in bytes and time. Rules have a cost limit, and patterns a time limit. An object that cannot be validated delays no other.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/propagation/src/stored-objects.test.ts',
            'reads the objects of one consumer at a time, and goes on after one that fails',
          ),
          test(
            'packages/runtime/schemagate/src/check-stored.test.ts',
            'are not held against patterns without end, and named',
            'do not hold the event loop while they are judged',
            'do not run rules without end, and the next one is judged',
            'are nobody’s fault but their own where they are nested too deeply',
          ),
        ),
      },
      {
        threat: 'gets a change delivered that was rejected or held while Hawser read its objects',
        outcome: 'refused',
        answer: 'Hawser decides again after a long check, before it acts.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/propagation/src/long-check.test.ts',
            'is held once the policy is Never',
            'is held once it is rejected',
            'is another change once the CRD has changed, and is judged as that',
          ),
        ),
      },
      {
        threat:
          'fills its ClusterBinding until the annotation that revokes it does not fit, as was possible before the policy existed',
        outcome: 'refused',
        answer: 'The provider revokes with the annotation on the cluster namespace, which the consumer cannot write.',
        reasons: ['CredentialRevoked'],
        tests: all(
          test(
            'packages/provider/credentials/src/credentials-controller.integration.test.ts',
            'ends all access by the cluster namespace, when the consumer has left no room on its ClusterBinding',
          ),
        ),
      },
      {
        threat: 'fills its ClusterBinding until no condition fits, to keep a replaced credential',
        outcome: 'refused',
        answer: 'The credential ends, even if its condition cannot be written.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/credentials/src/credentials-controller.integration.test.ts',
            'ends what was replaced, though whoever has it leaves no room for a condition',
          ),
        ),
      },
      {
        threat: 'takes back the unbinding in a status, after its template is gone',
        outcome: 'refused',
        answer: 'The provider role checks the admission of a restored export again.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/exportrequest/src/decide-export.test.ts',
            'is not restored where %s',
            'no template offers it',
            'the consumer may not bind it',
          ),
        ),
      },
      {
        threat: 'makes requests, or unbinds and rebinds exports, without end',
        outcome: 'bounded',
        answer: 'Each consumer has its own pace, in both dialects. Others do not wait.',
        reasons: ['RequestsPaced', 'RestorePaced'],
        tests: all(
          test(
            'packages/provider/exportrequest/src/pace.integration.test.ts',
            'is served at a pace of its own: requests that fail at once, and are made anew, cost others nothing, one Event says so, and all are answered in the end',
            'gets back what it let go of at a pace of its own, too, since each turn takes all its rights and gives them again; they go at once',
          ),
        ),
      },
      {
        threat:
          'asks under isolation `None` for a name that the provider does not have yet, to read later objects there',
        outcome: 'refused',
        answer:
          'The consumer gets only names that `provider.consumerNamespaces` lists, and never those of Kubernetes, Hawser and Klutch.',
        reasons: ['NamespaceReserved'],
        tests: all(
          test(
            'packages/provider/servicenamespace/src/service-namespace-controller.integration.test.ts',
            'gives nobody a namespace under None that the provider does not have yet, unless its name is allowed, and never one of its own',
          ),
        ),
      },
    ],
  },
  {
    title: 'Stolen credentials of Hawser itself',
    who: 'a thief with the credential of …',
    threats: [
      {
        threat: 'the konnector, and makes a token of another ServiceAccount of the consumer',
        outcome: 'refused',
        answer: 'The admission policy of the chart forbids writing token Secrets and requesting tokens.',
        reasons: [],
        tests: all(
          own(
            'a token of another ServiceAccount',
            'a token by way of a Secret that is there',
            'a token by a request for one',
            'a bootstrap token',
          ),
        ),
      },
      {
        threat: 'the konnector, and changes Secrets, CRDs, bindings or namespaces of others, or grants itself rights',
        outcome: 'refused',
        answer:
          'The konnector can write only copies, kubeconfigs, CRDs of bindings and bindings of bundles, even if roles grant more.',
        reasons: [],
        tests: all(
          own(
            'contents of a Secret that is not a copy',
            'the end of a Secret that is not a copy',
            'an API of an operator',
            'a CRD of an operator, by becoming its owner',
            'the end of a binding that a person made',
            'cluster-admin',
            'a pod',
          ),
        ),
      },
      {
        threat: 'the agent, and makes a token, or takes Secrets of its own namespace',
        outcome: 'refused',
        answer:
          'The admission policy of the chart forbids tokens, Secrets of its namespace other than its records, and objects that a controller owns.',
        reasons: [],
        tests: all(
          own(
            'a token in its own namespace',
            'its own kubeconfig for kcp',
            'contents of what a controller owns',
            'other objects to publish',
          ),
        ),
      },
      {
        threat: 'the provider role, and becomes another user',
        outcome: 'refused',
        answer:
          'The admission policy `hawser-provider` forbids it, also in control plane mode of Klutch. The thief can act as every consumer, because the provider role makes their tokens.',
        reasons: [],
        tests: all(
          test(
            'apps/supervisor/src/commands/provider-rights.integration.test.ts',
            'a token of the administrator, in a Secret that it may read',
            'all Secrets for itself',
          ),
          test(
            'e2e/src/app-clusters.test.ts',
            'the credential of the provider role becomes nobody else by way of a root namespace, under the policy of the chart',
          ),
        ),
      },
    ],
  },
  {
    title: 'The portal',
    who: 'a person who …',
    threats: [
      {
        threat:
          'redirects a sign-in to another host by a foreign URL, slashes, a user name, or a name like a loopback address',
        outcome: 'refused',
        answer: 'The portal sends a browser only to its public address, and a terminal only to a loopback address.',
        reasons: [],
        tests: portal(
          'another host',
          'a host by two slashes',
          'a host by backslashes',
          'a script',
          'a user name in front',
          'a name like loopback',
          'another loopback name',
        ),
      },
      {
        threat: 'forges or replays the state of a sign-in, or makes a victim finish it in another browser',
        outcome: 'refused',
        answer: 'The state of a sign-in is sealed in the browser that began it, and can be used once.',
        reasons: [],
        tests: portal('takes the answer of a sign-in only in the browser that began it, and once'),
      },
      {
        threat: 'puts the code of another sign-in into their own',
        outcome: 'refused',
        answer: 'The code is bound to the PKCE verifier and the nonce of one browser.',
        reasons: [],
        tests: portal('takes no code that belongs to another sign-in'),
      },
      {
        threat:
          'presents an ID token that is unsigned, expired, without nonce, for another client, or signed by another key or by the client secret',
        outcome: 'refused',
        answer: 'The portal checks signature, issuer, audience, times and nonce.',
        reasons: [],
        tests: portal(
          'unsigned',
          'wrong-key',
          'wrong-audience',
          'wrong-issuer',
          'expired',
          'no-nonce',
          'foreign-nonce',
          'hmac-with-the-secret',
        ),
      },
      {
        threat: 'makes an identity provider name them `system:masters`, or another name of Kubernetes',
        outcome: 'refused',
        answer: 'The portal accepts such names from no identity provider.',
        reasons: [],
        tests: portal('takes no name of Kubernetes itself from an identity provider'),
      },
      {
        threat: "claims another person's cluster, or claims it at the same moment",
        outcome: 'refused',
        answer: 'The first person owns the cluster. Others need its group, or an operator.',
        reasons: ['ClusterOfAnotherOwner'],
        tests: portal(
          "refuses another person's cluster, and its owner's group shares it",
          'ties a cluster for which two ask at the same moment to one of them',
          'gives nobody a consumer that was brought in otherwise, and makes nobody its owner',
        ),
      },
      {
        threat:
          "brings in another person's cluster by its identity before its owner does; or with a token of another cluster, another ServiceAccount or another audience; or with an unsigned, forged or expired token",
        outcome: 'refused',
        answer:
          "If `clusterIssuers` names the signers of a cluster's tokens, only such a token brings the cluster in. Otherwise the first person owns it.",
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/clusters/cluster-proofs.integration.test.ts',
            'is brought in by no name alone, by no token of another, and by none that is not for this portal',
            'is opened by its token to nobody but its owner, and to nobody who has not signed in',
            'is offered on the pages by a code that is worth nothing without its token, and does nothing before',
          ),
          test(
            'packages/provider/portal/src/clusters/cluster-proofs.test.ts',
            'is refused unsigned, signed by a secret that is public, by an unknown key, or changed',
            'another audience',
            'a time that has passed',
            'another issuer',
            'another ServiceAccount of the cluster',
            'proves neither of two clusters that have the same key',
            'proves nothing while they cannot be read, and follows no redirect to others',
          ),
        ),
      },
      {
        threat: 'binds a template that is hidden from them by its name',
        outcome: 'refused',
        answer: 'The portal answers as for a template that does not exist, and makes nothing.',
        reasons: [],
        tests: portal('does not know a template that is hidden from the person, and leaves nothing behind'),
      },
      {
        threat: 'uses a stolen cookie after its owner has signed out, or presents a token of a terminal as a cookie',
        outcome: 'refused',
        answer: 'A sign-out takes effect on every replica. A value sealed for one use is invalid for another.',
        reasons: [],
        tests: portal(
          'has a sign-out count on every replica, and gives each sign-in another session',
          'signs a terminal in at a loopback address, with a token that opens the API for five minutes',
        ),
      },
      {
        threat: 'reads the code of a terminal in the history or log of a browser, races it, or uses it again',
        outcome: 'refused',
        answer: 'The code can be exchanged once, within a minute, and only with the secret that the terminal keeps.',
        reasons: [],
        tests: all(
          portal(
            'signs a terminal in by a code that only the terminal can exchange, once, on whichever replica',
            'takes no challenge that hides nothing, and no other way to prove it',
          ),
          pages('answers a terminal that asks for it with a code, so that no URL has a kubeconfig in it'),
        ),
      },
      {
        threat: 'uses the code of a bundle a second time, races its owner for it, or presents it late',
        outcome: 'refused',
        answer:
          'A code is a Lease. Deleting the Lease uses the code up, and only one request can delete it. After ten minutes its seal is invalid.',
        reasons: [],
        tests: all(
          portal('gives a bundle for a code once, on whichever replica, and to one of two who race'),
          test(
            'packages/provider/portal/src/bundle-codes.test.ts',
            'are worth nothing after ten minutes, swept or not',
          ),
        ),
      },
      {
        threat: 'reads, forges or swaps Leases of codes',
        outcome: 'refused',
        answer: 'A Lease holds a hash of its code. Its content is sealed for that code only.',
        reasons: [],
        tests: portal('keeps a code from whoever reads or writes Leases'),
      },
      {
        threat:
          'uses a code after losing the cluster, accepts claims that they have not read, or gets rights that the template did not name at that time',
        outcome: 'refused',
        answer: 'The portal checks rights and owner again. A person accepts claims by ids derived from their content.',
        reasons: [],
        tests: portal(
          'hands out no bundle of a template that has changed since it was read, and no right that no provider may have',
          'hands out no bundle to one from whom the cluster was taken since',
          'makes no bundle of what a person may not bind or has not read, and a bounded number of codes',
        ),
      },
      {
        threat:
          'submits a form of the pages without a cluster, with claims that the template does not have, or without the right',
        outcome: 'refused',
        answer: 'A form can request no more than the API, and the portal makes nothing.',
        reasons: [],
        tests: all(
          pages(
            'binds nothing in a browser without a cluster, with claims that the template does not have, or for another person',
          ),
        ),
      },
      {
        threat: 'makes the browser of a signed-in person send a POST from another site',
        outcome: 'refused',
        answer:
          'Cookies are `SameSite`, and the portal compares origins. The API reads only JSON; a form of the pages carries a token that is sealed for one sign-in.',
        reasons: [],
        tests: all(
          portal('refuses what another site has a browser send'),
          pages('takes no form that was not shown to this very person, and answers no other place'),
        ),
      },
      {
        threat: "views, follows, or acts on the bindings of another person's cluster by their addresses",
        outcome: 'refused',
        answer: "The portal answers as for bindings that do not exist. An owner cannot undo an operator's revocation.",
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/pages/binding-pages.integration.test.ts',
            'are seen by the owner of a cluster and by nobody else, who may not act on it either',
            'have their owner replace, revoke and restore a credential, and nobody undo what an operator does',
          ),
        ),
      },
      {
        threat:
          'views all consumers, approves a template or decides about a schema without the right, or about one that has changed since',
        outcome: 'refused',
        answer:
          'RBAC controls who sees consumers (`list` on ClusterBindings) and who decides (`approve` on the template or export). A decision names the hash of the schema that was shown.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/pages/operator-pages.integration.test.ts',
            'are for those alone to whom RBAC gives them, and decide nothing for those who may only see',
            'let a breaking schema through, or keep it away, as the operator has seen it and no other',
          ),
        ),
      },
      {
        threat: "reads messages about the objects of another consumer, or an object's Events without the right",
        outcome: 'refused',
        answer:
          'The portal shows Events only to people who may list the API and the Events there. Events of a copy carry its uid; Events of a binding are in the namespace of its consumer.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/pages/operator-pages.integration.test.ts',
            'tell the Events of a copy and of its binding, and none of another object, to those who may list Events',
          ),
        ),
      },
      {
        threat:
          'makes the portal connect to a forbidden address by the kubeconfig of a one-click apply: a metadata service, its own network, a name that later resolves differently, a redirect',
        outcome: 'bounded',
        answer:
          'One-click apply is off unless the operator names hosts or networks. The portal never connects to link-local addresses, metadata services, loopback or its own API server. It connects to the address that it checked. Servers in the networks that the operator names can be reached.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/apply/reachable.test.ts',
            'is reached where its name is allowed and its addresses are public, and nowhere else',
            'is reached in a network that is named, but never on the link, at a metadata service, on loopback, or at the provider itself',
            'is connected to at the address that was judged, though its name answers otherwise a moment later',
          ),
          test(
            'packages/provider/portal/src/apply/one-click.integration.test.ts',
            'is none unless that is switched on',
            'follows no redirect, and tells nothing of what a server says',
          ),
        ),
      },
      {
        threat:
          "hands over a kubeconfig that runs a program or reads a file of the portal; or has another person's bundle applied, or their own in another cluster",
        outcome: 'refused',
        answer:
          'The portal sanitises the kubeconfig like one from a Secret. The code must belong to the same person, this binding and this cluster. The API server of that cluster enforces the rights of its user.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/apply/one-click.integration.test.ts',
            'refuses kubeconfigs that run programs, read files, weaken TLS or go by a proxy, and hosts that nobody has allowed',
            'takes no code of another person, of another binding, of another cluster, or none',
            'brings in a cluster that has to prove itself, by a token of it, and no other cluster',
            'does no more than the user of the kubeconfig may, and says what that is',
          ),
        ),
      },
      {
        threat: 'makes a page of the portal run a script, by the text of a template or an address',
        outcome: 'refused',
        answer: 'The pages render these as text, and allow no scripts but their own.',
        reasons: [],
        tests: all(
          pages('shows in a browser what a person may bind, and nothing else, with words of the provider as text'),
        ),
      },
      {
        threat: "has the answer to `kubectl bind`, with its kubeconfig, sent elsewhere than to the person's machine",
        outcome: 'refused',
        answer:
          'The portal sends it only to an `http` loopback address, after the person has agreed on a page. With `terminals: false` it sends none.',
        reasons: [],
        tests: all(
          pages(
            'takes no form that was not shown to this very person, and answers no other place',
            'answers no terminal where that is switched off',
          ),
        ),
      },
      {
        threat:
          "takes another person's consumer over Klutch by the id of its cluster, by a subject of another identity provider, or one that an operator made",
        outcome: 'refused',
        answer:
          'The identity contains the subject, and no id of a cluster can contain its end mark. The namespace names the identity provider; without that name the consumer has no owner.',
        reasons: [],
        tests: all(
          klutchPortal(
            'gives two people with the same cluster id, and one who asks twice at the same moment, one consumer each',
            'makes nothing for what a person may not bind, and hands out no consumer of others',
            'a cluster id with the mark that ends a subject',
          ),
        ),
      },
      {
        threat:
          "reads on the portal's pages what a neighbour has bound over Klutch, or makes their own cluster name a neighbour's namespace, to have its objects counted as theirs",
        outcome: 'refused',
        answer:
          "The portal reads the owner from the consumer's namespace at each request. A copy counts only if the provider has marked the namespace as made for this consumer.",
        reasons: [],
        tests: all(
          klutchPortal(
            'shows people what they have bound over Klutch, and nothing of their neighbours',
            'shows consumers of Klutch to those alone who may list their ClusterBindings',
          ),
        ),
      },
      {
        threat: "makes a person's browser bind for Klutch by an address alone, or send the kubeconfig elsewhere",
        outcome: 'refused',
        answer:
          'Only a form that the portal showed to this person binds. The portal answers a terminal only at a loopback address.',
        reasons: [],
        tests: all(
          klutchPortal(
            'binds by a form that this person was shown, and by nothing else',
            'another host',
            'a host that looks like the loopback interface',
          ),
        ),
      },
      {
        threat: 'takes the token of a terminal that shows a code, by guessing, with another terminal, or from a Lease',
        outcome: 'refused',
        answer:
          'The terminal gets the token with the secret of its challenge, once and within ten minutes. An approval is sealed for one code.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/device-codes.test.ts',
            'are worth nothing to who has no secret, to another terminal, and after ten minutes',
            'hand out nothing for what somebody else has written into a Lease',
            'are worth what renews the login, which no reader of Leases sees',
          ),
          device('takes a code from no other site, from nobody who has not signed in, and not without the form'),
        ),
      },
      {
        threat:
          'steals the value that renews the login of a terminal: uses it after its owner, after a sign-out, after the account was closed, or at the identity provider',
        outcome: 'refused',
        answer:
          'The value renews once; a second use ends the login everywhere. The refresh token of the identity provider is sealed in it. A thief who is faster than the owner can use the login until the owner renews.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/portal/src/refreshes.integration.test.ts',
            'ends with the account of the person, and when its refresh token comes a second time',
            'is not renewed after a sign-out, nor by what is sealed for something else',
            'is not renewed where that is not switched on, nor longer than that says',
          ),
        ),
      },
      {
        threat: 'talks a person into typing the code of a foreign terminal',
        outcome: 'bounded',
        answer:
          "It works only if the operator has turned `deviceCodes` on. The page warns and says for how long, the token ends with the person's session, and the audit log has each approval. With `refreshSeconds` the person must also confirm at the identity provider, in the same browser.",
        reasons: [],
        tests: all(
          device(
            'is not there unless it is switched on',
            'lets no terminal in whose approval is confirmed in another browser, by another person, twice, or after a sign-out',
          ),
        ),
      },
      {
        threat: 'sends requests or bodies without end, or brings in clusters without end',
        outcome: 'bounded',
        answer:
          'The portal limits requests per minute for each address and each person, bodies to 1 MiB, and clusters per person. It stores nothing that is presented. A client cannot change its address by a header.',
        reasons: [],
        tests: all(
          portal(
            'limits what one address may ask for',
            'lets a person bring in so many clusters and no more, and goes on with those',
            'holds a person to their quotas who asks for several clusters, or bindings, at the same moment',
            'holds a person to their quota who asks several replicas at the same moment, and waits for none that died',
            'answers in the shape of the contract what it does not do',
          ),
          test(
            'packages/provider/portal/src/server.test.ts',
            'is the connection, whatever headers say that no trusted proxy has sent',
            'is whom a trusted proxy has seen, and not whom that one claims to be',
            'is a whole network of IPv6, which one line has',
          ),
          test('packages/provider/portal/src/subject-limit.test.ts', 'is bounded in a minute, for each person alone'),
        ),
      },
    ],
  },
  {
    title: 'kubectl bind',
    who: 'a portal, or another program on the machine, that …',
    threats: [
      {
        threat: 'answers a binding with more APIs or claims than the template has, to get the konnector rights on them',
        outcome: 'refused',
        answer:
          'The command fails on additional APIs. The binding accepts only the claims that the template listed, and the ClusterRole has rights only on claimable resources.',
        reasons: [],
        tests: all(
          plugin('agrees to nothing that the template was not listed with, and grants the konnector nothing by it'),
          test(
            'packages/cli/bind/src/plan.test.ts',
            'takes what a provider has answered, agrees to what was accepted of it, and grants the konnector that and no more',
          ),
        ),
      },
      {
        threat: 'makes the plugin create or send a token of the cluster that is valid elsewhere',
        outcome: 'refused',
        answer:
          'The token is for the address that the person named, for a ServiceAccount that the person chooses, and for ten minutes. The plugin sends it only over https, follows no redirect, and sends it only if the provider wants it.',
        reasons: [],
        tests: all(
          test(
            'apps/kubectl-bind/src/cluster-proof.integration.test.ts',
            'gets one that is made for its address, once it has asked, and says so',
            'gets none where the person has no right to make one, nor where it could be read on the way',
          ),
        ),
      },
      {
        threat: 'hands out a malformed answer, another kind, or a document that expands without end',
        outcome: 'refused',
        answer:
          'The plugin checks each answer against its schema first. The error names the mistake, and the plugin writes nothing.',
        reasons: [],
        tests: all(
          test(
            'apps/kubectl-bind/src/answer.test.ts',
            'is refused as %s',
            'is read from a file with one document, and from no bomb',
          ),
        ),
      },
      {
        threat: 'sends its own answer to the address on which the plugin waits',
        outcome: 'refused',
        answer: 'The path of that address is a secret, and an answer names the session of the terminal.',
        reasons: [],
        tests: all(
          plugin('goes on with what was chosen on the pages, and agrees to what was accepted there and no more'),
        ),
      },
      {
        threat: 'reads tokens in addresses, output, logs of the portal or the file of logins',
        outcome: 'refused',
        answer:
          'Tokens are only in the file, which only its owner can read. With a Go backend the sign-in has the token in the address.',
        reasons: [],
        tests: all(
          plugin('signs in with a token that is in no address and no output, and keeps it for its owner alone'),
          test(
            'apps/kubectl-bind/src/server-file.test.ts',
            'is made for its owner alone, and keeps what others have written there',
          ),
        ),
      },
    ],
  },
  {
    title: 'The identity provider for trying out',
    who: 'a person who …',
    threats: [
      {
        threat: 'reaches a portal with it from another machine, by its address, its public name, or a trusted proxy',
        outcome: 'refused',
        answer: 'Hawser does not start. The config error names the field and what to set instead.',
        reasons: [],
        tests: all(
          test(
            'packages/runtime/config/src/issuer-problems.test.ts',
            'listens on every interface',
            'listens where another name leads',
            'listens by the default address',
            'has a public name',
            'trusts a proxy',
            'is called back elsewhere',
            'is at a public name itself',
          ),
          test('e2e/src/trial-issuer.test.ts', 'does not run where other machines reach it'),
        ),
      },
      {
        threat: 'reaches it through a proxy on its machine, or has a browser there open it under another name',
        outcome: 'refused',
        answer: 'It answers no request with a header of a proxy, or with another `Host` than its own.',
        reasons: [],
        tests: all(
          trial('x-forwarded-for', 'answers no other name than its own, and takes no form of another site or browser'),
        ),
      },
      {
        threat: 'makes it send a code to another address',
        outcome: 'refused',
        answer: 'It has one client with one callback address.',
        reasons: [],
        tests: all(trial('gives a code to no address but that of its portal')),
      },
      {
        threat: 'signs in as one of its people with an account on the same machine',
        outcome: 'bounded',
        answer: 'It is made for this. The log and each of its pages say so.',
        reasons: [],
        tests: all(trial('says that it is for trying out, in the log and on its page, which runs no script')),
      },
    ],
  },
  {
    title: 'The port for health and metrics',
    who: 'a client of this port that …',
    threats: [
      {
        threat: 'sends something that is not a request, such as `GET //`',
        outcome: 'refused',
        answer: 'The process answers and keeps running.',
        reasons: [],
        tests: all(health('answers the target %s and lives', 'answers %s and lives', 'survives %s')),
      },
      {
        threat: 'opens connections without end, or does not finish its request',
        outcome: 'bounded',
        answer: 'The process closes the oldest of more than 128 connections, and gives a request up after 60 s.',
        reasons: [],
        tests: all(
          health(
            'gives up the oldest of too many connections, so that a probe finds an open door',
            'gives up who does not finish asking',
            'survives peers that go away while they are answered',
          ),
        ),
      },
    ],
  },
  {
    title: 'Workspaces of kcp',
    who: 'a user of a workspace who …',
    threats: [
      {
        threat:
          'refers to a Secret with the name of one of the service cluster: empty, filled, or with a guess of its content',
        outcome: 'refused',
        answer:
          'An object that the agent did not make is `Occupied`. The agent neither writes nor deletes it, and does not confirm its content.',
        reasons: ['Occupied'],
        tests: all(
          hostile(
            'neither takes over, nor reads by guessing, nor deletes the Secret of an operator that stands where its related one would',
          ),
          agent(
            'related-ownership',
            'an empty Secret of a consumer takes over nothing that stands in its place, under %s',
            'nothing is taken over, under adopt, where %s',
          ),
        ),
      },
      {
        threat: 'refers to an object of another workspace in a namespace that both share on the service cluster',
        outcome: 'refused',
        answer: 'Each copy has one source.',
        reasons: ['RelatedCollision'],
        tests: all(
          agent(
            'related-ownership',
            'of two tenants that share a namespace of the service cluster the first has the place, and its content',
          ),
        ),
      },
      {
        threat: 'relates a token Secret, to get a token of a ServiceAccount of the service cluster',
        outcome: 'refused',
        answer: 'The admission policy of the chart refuses it, and the object reports that.',
        reasons: [],
        tests: all(hostile('has no token made of a ServiceAccount of the service cluster')),
      },
      {
        threat: 'sets the marks of agents or of other workspaces on its objects',
        outcome: 'refused',
        answer: 'The agent does not copy marks of the contract. A copy names its owner by its own marks and place.',
        reasons: ['OtherAgent'],
        tests: all(
          hostile('takes its copy from no agent, and gives it to none, by marks that it writes'),
          agent('ownership', 'a label that a consumer writes does not take the copy of another agent'),
        ),
      },
      {
        threat: 'makes controllers pass the marks of a copy on to children',
        outcome: 'refused',
        answer: 'The agent never writes or deletes an object that a controller owns.',
        reasons: ['CopyControlled'],
        tests: all(
          agent(
            'ownership',
            'what stands in the place of the copy, has its marks, and is controlled, is neither written nor deleted',
          ),
        ),
      },
      {
        threat: 'makes objects of 1.3 MB, or nested 9000 levels deep',
        outcome: 'bounded',
        answer: 'The agent shrinks pages until they fit. An object that it cannot handle affects no other workspace.',
        reasons: [],
        tests: all(
          hostile('holds up no other workspace with objects of 1.3 MB'),
          agent('sync.integration', 'tells of an object whose copy is nested too deeply, and syncs its neighbours'),
          agent(
            'deep',
            'is told, and holds up neither its neighbours nor its own deletion',
            'as a related one is told on its primary, whose changes are synced',
          ),
          listing(
            'are asked for again with fewer objects, until they fit, and with more where objects are small again',
          ),
          manager('unreadable', 'tells when lists of %s cannot be used, for as long as that lasts'),
        ),
      },
      {
        threat: 'changes an object, or a related object, thousands of times a second',
        outcome: 'bounded',
        answer:
          'The agent writes at most fifty times in a row for one object, in either direction, then five times a second. Other objects do not wait.',
        reasons: [],
        tests: all(
          agent(
            'pace',
            'has each object carried at a pace, and what it says in the end',
            'has a related object carried at the pace of its object',
          ),
        ),
      },
      {
        threat: 'makes the service cluster refuse an object with an error of megabytes that quotes it',
        outcome: 'bounded',
        answer:
          "Hawser quotes a thousand characters of a server's error. A condition has at most 4096 characters, an Event 1024 bytes.",
        reasons: [],
        tests: all(
          agent('problem-of', 'of what a server says, which may quote the object, a thousand characters are told'),
          test(
            'packages/api/syncagent-api/src/conditions.test.ts',
            'say 4096 characters at most, whatever a server has answered, and are the same when they are told again',
          ),
        ),
      },
      {
        threat: 'fills the workspace up to its limit',
        outcome: 'bounded',
        answer: 'The agent retries its writes there less and less often, and the object reports that.',
        reasons: ['WorkspaceFull'],
        tests: all(
          manager(
            'limits',
            'has that told on the object that needs one more, with who must act; it is not tried in a loop, and comes once there is room',
          ),
        ),
      },
      {
        threat: 'relates more objects to one than the agent can record',
        outcome: 'bounded',
        answer: 'The agent records the object itself first. It does not sync the excess, and reports it.',
        reasons: ['StateTooLarge'],
        tests: all(
          agent('state-store', 'keeps the object itself and what was synced, however many related objects there are'),
          agent(
            'related-many',
            'of one primary are synced once each, and neither what was pushed nor what was synced is forgotten',
            'of one primary are made only as far as there is room to write them down, and the others are told',
          ),
        ),
      },
      {
        threat: 'removes the finalizer again and again, by an admission of the workspace',
        outcome: 'bounded',
        answer: 'The agent sets it less and less often, at least every 5 minutes, and reports it.',
        reasons: ['WritesUndone'],
        tests: all(
          manager(
            'progress',
            'and the write has no effect',
            'and the write changes something else each time',
            'holds up no change of an object that has its copy',
            'of a related object is set ever less often too, and its primary says so',
          ),
        ),
      },
      {
        threat: 'rejects a claim while related objects exist, or whose provider withdraws a right then',
        outcome: 'bounded',
        answer: 'Deletions wait a minute at most. The agent names the objects that stay.',
        reasons: ['RelatedLeft'],
        tests: all(
          agent(
            'related-unreadable',
            'of the service cluster, whose entry is gone, and then the right to them, hold up nothing else, and are told',
            'whose copies can be read no more are left after a minute, and named',
            'whose finalizer may not be taken off any more are left after a minute, and named',
          ),
        ),
      },
      {
        threat: 'cannot be seen for some seconds, because kcp restarts, loses a shard, or refuses a list',
        outcome: 'refused',
        answer: 'The agent neither releases nor deletes an object because it could not read something.',
        reasons: [],
        tests: all(
          manager(
            'endings',
            'is not over while the endpoint slice is made anew',
            'is not over because objects cannot be listed at a start',
            'is not over while a shard on which it had objects is missing from the slice',
          ),
          manager(
            'related-survey',
            'stays as long as one of them is there, though the first list fails and the other one is looked at last',
          ),
        ),
      },
      {
        threat: 'creates an object in a namespace that the agent is about to delete',
        outcome: 'bounded',
        answer:
          'The agent checks every type twice. An object created between the second check and the deletion is deleted with the namespace.',
        reasons: [],
        tests: all(
          agent(
            'service-namespaces',
            'stays when something arrives where it was looked at already',
            'stays when the agent itself is putting something into it, however late',
          ),
        ),
      },
    ],
  },
];
