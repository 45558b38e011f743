// What consumers, thieves, users of workspaces and whoever reaches a port could do, besides single requests (e2e/src/attempts.ts), and what comes of it. docs/reference/threats.md has this as tables.
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
        answer: 'It gets its own objects. On the API server itself it has no right to read there.',
        reasons: [],
        tests: gateway(
          'shows each consumer its own %s, which it cannot list on the API server, and the API server has the last word on writes',
          'watches for all consumers with one watch, and tells each of its own',
        ),
      },
      {
        threat: 'asks for objects of another by name, to learn whether they exist',
        outcome: 'refused',
        answer:
          'The answer is that for an object that does not exist. Under isolation `None` only a create tells that a name is taken.',
        reasons: [],
        tests: gateway('answers for %s of another as for those that do not exist, whatever is asked'),
      },
      {
        threat: 'measures how long answers take, to learn whether a name or a namespace is that of another',
        outcome: 'refused',
        answer:
          'For what is that of another and for what nobody has, the API server is asked the same and answers the same, also where the attacker has objects whose names come close.',
        reasons: [],
        tests: all(
          attacks(
            'makes the gateway ask the API server the same, whether a name of %s is that of another or nobody has it',
            'makes the gateway ask the API server nothing of a namespace, whether it is that of another or there is none',
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
          'What is not understood is refused. What is passed on is made anew, with a few headers and the own token.',
        reasons: [],
        tests: all(leaks('never shows a word of another, whatever is asked'), attacks('gets nothing of another by %s')),
      },
      {
        threat: 'smuggles a request behind another, upgrades the connection, or speaks HTTP/2',
        outcome: 'refused',
        answer: 'The connection ends. HTTP/1.1 is all that is spoken.',
        reasons: [],
        tests: leaks(
          'answers no request that was smuggled behind another',
          'tells nothing of others by an upgrade, and nothing over HTTP/2',
        ),
      },
      {
        threat: 'tries all that it can try on an API server, under any isolation and informer scope',
        outcome: 'refused',
        answer:
          'No answer has a word of another, and nothing of another changes. For a consumer that there is not the answers are the same.',
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
          'gets a namespace of a name that another had under isolation `None`, and asks for versions from then, to read what was claimed there',
        outcome: 'refused',
        answer:
          'Lists, watches and continue tokens of a time before the namespace was the consumer’s are answered with 410. Whoever reaches the API server itself gets them there, as long as it remembers: five minutes by default.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/claims.integration.test.ts',
            'shows none of what was in a namespace of that name while it was another consumer’s, whatever version is asked for',
          ),
        ),
      },
      {
        threat: 'asks for a namespace of another under isolation `None`, to read what is claimed there',
        outcome: 'refused',
        answer:
          'Claimed objects are served only in a namespace that one consumer alone has. Who comes second ends that for both.',
        reasons: ['ClaimedObjectsShared'],
        tests: all(
          test(
            'e2e/src/isolation-gateway.test.ts',
            'is served claimed objects only while no other consumer has the namespace, and is told so',
          ),
        ),
      },
      {
        threat: 'has a write under way while another takes the name, so that the refusal tells of the new object',
        outcome: 'refused',
        answer:
          "A refusal is handed on only if the object is still not another's. Otherwise the answer is that for a name that is not there, or taken.",
        reasons: [],
        tests: gateway('says nothing of an object of another that has taken the name while a write was under way: %s'),
      },
      {
        threat:
          'goes past the gateway to the API server itself, with the right to patch in the whole cluster that it has there',
        outcome: 'bounded',
        answer:
          'It changes nothing of another. But a patch that does not fit is answered with the whole object, before admission. Operators have to close the API server to the networks of consumers; the provider role says so at its start.',
        reasons: [],
        tests: gateway(
          'cannot keep contents from who reaches the API server itself: a patch that does not fit is answered with the object',
        ),
      },
      {
        threat: 'goes on with a watch after its access was revoked or withdrawn',
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
        threat:
          'sends a gateway bodies that do not come to an end, bodies with reads, or goes away in the middle of a write',
        outcome: 'bounded',
        answer:
          "It takes its own turns and nobody else's. A read is answered without its body, and a write ends with who makes it.",
        reasons: [],
        tests: attacks(
          'takes only its own turns with bodies that do not come',
          'makes the gateway wait for no body of a read',
          'leaves no request behind on the API server when it goes in the middle of a write',
        ),
      },
      {
        threat: 'asks a gateway for many old versions at once, each of which is a list of all objects for it',
        outcome: 'bounded',
        answer: 'One is read at a time for each consumer. Who asks for a version that is being read shares it.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/source-old.test.ts',
            'are read one at a time for each consumer, however many it asks for, and at once for others',
          ),
        ),
      },
      {
        threat: 'comes to a gateway with many tokens at once, so that others are not let in',
        outcome: 'bounded',
        answer:
          'Each token is asked about once, some at a time, in the order in which they come. Nobody is turned away before 4 000 wait.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/gateway/src/identity.test.ts',
            'asks about each of 300 new tokens once, in turns, and turns none away',
          ),
        ),
      },
      {
        threat:
          'opens as many connections to a gateway as it can, or sends TLS handshakes and heads of requests that do not come to an end',
        outcome: 'bounded',
        answer:
          'One client address has 4 000 of the 20 000 connections of a process. More are refused and closed, also before TLS. A handshake, and the head of a request, that takes longer than 15 s ends its connection. Who comes from many addresses takes the connections of all.',
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
        threat: 'fills lists with objects of 1.3 MB, so that a page is longer than what is read at once',
        outcome: 'bounded',
        answer: 'Pages shrink until they fit. An object that does not fit alone is passed over and told.',
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
        threat: 'has large, deep or slow objects judged when a CRD changes',
        outcome: 'bounded',
        answer:
          "One consumer at a time, by bytes and by the clock; rules have a cost limit, patterns an end. What cannot be judged is that object's problem.",
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
        threat: 'has a change flow that was rejected, or held, while its objects were read',
        outcome: 'refused',
        answer: 'What takes long is decided again before it is carried out.',
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
          'leaves no room on its ClusterBinding for the annotation that revokes it, as one could before there was the policy',
        outcome: 'refused',
        answer: 'The provider revokes by the annotation on the cluster namespace, which the consumer cannot write.',
        reasons: ['CredentialRevoked'],
        tests: all(
          test(
            'packages/provider/credentials/src/credentials-controller.integration.test.ts',
            'ends all access by the cluster namespace, when the consumer has left no room on its ClusterBinding',
          ),
        ),
      },
      {
        threat: 'keeps a credential that was replaced, by leaving no room on its ClusterBinding for a condition',
        outcome: 'refused',
        answer: 'The credential ends, whether its condition can be written or not.',
        reasons: [],
        tests: all(
          test(
            'packages/provider/credentials/src/credentials-controller.integration.test.ts',
            'ends what was replaced, though whoever has it leaves no room for a condition',
          ),
        ),
      },
      {
        threat: 'takes back in a status that it has unbound, after its template is gone',
        outcome: 'refused',
        answer: 'An export that is restored is admitted anew.',
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
        threat: 'makes requests, or lets go of exports and takes them back, without end',
        outcome: 'bounded',
        answer: 'It is served at a pace of its own, in both dialects, and others do not wait.',
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
          'asks under isolation `None` for a name that the provider does not have yet, to read what is put there later',
        outcome: 'refused',
        answer:
          'It gets names that `provider.consumerNamespaces` lists, and never those of Kubernetes, Hawser and Klutch.',
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
        threat: 'the konnector, who makes a token of another ServiceAccount of the consumer',
        outcome: 'refused',
        answer: 'The admission policy of the chart lets no token Secret be written, nor a token be asked for.',
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
        threat: 'the konnector, who changes Secrets, CRDs, bindings or namespaces of others, or gives itself rights',
        outcome: 'refused',
        answer: 'It writes copies, kubeconfigs, CRDs of bindings and bindings of bundles, also where roles grant more.',
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
        threat: 'the agent, who makes a token, or takes Secrets of its own namespace',
        outcome: 'refused',
        answer:
          'The admission policy of the chart: no token, no Secret of its namespace but its records, nothing that a controller owns.',
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
        threat: 'the provider role, who becomes another user',
        outcome: 'refused',
        answer:
          'The admission policy `hawser-provider`, also in control plane mode of Klutch. It is every consumer, whose tokens it makes.',
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
    who: 'Somebody',
    threats: [
      {
        threat:
          'has a sign-in end at another host, by a foreign URL, slashes, a user name, or a name like a loopback address',
        outcome: 'refused',
        answer: 'A browser comes back to the public address, a terminal to a loopback address.',
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
        threat: 'forges or replays the state of a sign-in, or has a victim finish it in another browser',
        outcome: 'refused',
        answer: 'A sign-in lies sealed in the browser that began it, and is tried once.',
        reasons: [],
        tests: portal('takes the answer of a sign-in only in the browser that began it, and once'),
      },
      {
        threat: 'puts the code of another sign-in into its own',
        outcome: 'refused',
        answer: 'The code belongs to the PKCE verifier and the nonce of one browser.',
        reasons: [],
        tests: portal('takes no code that belongs to another sign-in'),
      },
      {
        threat:
          'presents an ID token that is unsigned, signed by another key or by the client secret, for another client, expired, or without the nonce',
        outcome: 'refused',
        answer: 'Signature, issuer, audience, times and nonce are checked.',
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
        threat: 'has an identity provider call it `system:masters`, or another name of Kubernetes',
        outcome: 'refused',
        answer: 'Such names are taken from no identity provider.',
        reasons: [],
        tests: portal('takes no name of Kubernetes itself from an identity provider'),
      },
      {
        threat: "claims another's cluster, or claims it at the same moment",
        outcome: 'refused',
        answer: 'The first owns it; others need its group, or an operator.',
        reasons: ['ClusterOfAnotherOwner'],
        tests: portal(
          "refuses another person's cluster, and its owner's group shares it",
          'ties a cluster for which two ask at the same moment to one of them',
          'gives nobody a consumer that was brought in otherwise, and makes nobody its owner',
        ),
      },
      {
        threat:
          "brings in another's cluster by its identity before its owner does, or with the token of another cluster, of another ServiceAccount or for another audience, or one that is unsigned, forged or expired",
        outcome: 'refused',
        answer:
          'Where `clusterIssuers` names who signs the tokens of a cluster, only such a token brings it in; elsewhere who comes first owns it.',
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
        answer: 'It looks like one that does not exist, and nothing is made.',
        reasons: [],
        tests: portal('does not know a template that is hidden from the person, and leaves nothing behind'),
      },
      {
        threat:
          'goes on with a stolen cookie after its owner has signed out, or presents a token of a terminal as a cookie',
        outcome: 'refused',
        answer: 'A sign-out counts on every replica, and what is sealed for one use is nothing for another.',
        reasons: [],
        tests: portal(
          'has a sign-out count on every replica, and gives each sign-in another session',
          'signs a terminal in at a loopback address, with a token that opens the API for five minutes',
        ),
      },
      {
        threat: 'reads the code of a terminal in the history or the log of a browser, races it, or uses it again',
        outcome: 'refused',
        answer: 'It is exchanged once, within a minute, and only with the secret that the terminal has kept.',
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
          'A code is a Lease: deleting it uses it up, and one deletes it. After ten minutes its seal does not hold.',
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
        threat: 'reads, forges or exchanges Leases of codes',
        outcome: 'refused',
        answer: 'A Lease has a hash of its code, and what it is worth sealed for that code alone.',
        reasons: [],
        tests: portal('keeps a code from whoever reads or writes Leases'),
      },
      {
        threat:
          'uses a code after the cluster was taken away, accepts claims that they have not read, or gets rights that the template did not name then',
        outcome: 'refused',
        answer: 'Rights and owner are checked again; claims are accepted by ids of what they say.',
        reasons: [],
        tests: portal(
          'hands out no bundle of a template that has changed since it was read, and no right that no provider may have',
          'hands out no bundle to one from whom the cluster was taken since',
          'makes no bundle of what a person may not bind or has not read, and a bounded number of codes',
        ),
      },
      {
        threat:
          'binds by a form of the pages without a cluster, with claims that the template has not, or without the right',
        outcome: 'refused',
        answer: 'A form asks for no more than the API gives, and nothing is made.',
        reasons: [],
        tests: all(
          pages(
            'binds nothing in a browser without a cluster, with claims that the template does not have, or for another person',
          ),
        ),
      },
      {
        threat: 'has the browser of one who has signed in send a POST from another site',
        outcome: 'refused',
        answer:
          'Cookies are `SameSite`, and origins are compared. The API reads JSON alone; a form of the pages carries a token that is sealed for one sign-in.',
        reasons: [],
        tests: all(
          portal('refuses what another site has a browser send'),
          pages('takes no form that was not shown to this very person, and answers no other place'),
        ),
      },
      {
        threat: "looks at, follows, or acts on the bindings of another's cluster by their addresses",
        outcome: 'refused',
        answer: 'They look like bindings that do not exist. What an operator has revoked, no owner takes back.',
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
          'looks at all consumers, approves a template or decides about a schema without the right, or about one that has changed since',
        outcome: 'refused',
        answer:
          'RBAC says who sees (`list` on ClusterBindings) and who decides (`approve` on the template or export). A decision names the hash that was shown.',
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
        threat: "reads messages about the objects of another consumer, or learns an object's Events without the right",
        outcome: 'refused',
        answer:
          'Events are told to who may list the API and the Events there. Those of a copy have its uid; those of a binding are in the namespace of its consumer.',
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
          'has the portal connect where it should not, by the kubeconfig for a one-click apply: a metadata service, its own network, a name that answers otherwise a moment later, a redirect',
        outcome: 'bounded',
        answer:
          'It is off unless the operator names hosts or networks. Link-local addresses, metadata services, loopback and the own API server are never reached; a connection goes to the address that was judged. What answers in the networks that the operator names can be reached.',
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
          "hands over a kubeconfig that runs a program or reads a file of the portal, or has another's bundle applied, or one in another cluster",
        outcome: 'refused',
        answer:
          'The kubeconfig is sanitised as one from a Secret. The code has to be of the same person, for this binding and this cluster. The API server there says what its user may do.',
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
        threat: 'has a page of the portal run a script, by words of a template or of an address',
        outcome: 'refused',
        answer: 'They are text, and the pages allow no scripts but our own one.',
        reasons: [],
        tests: all(
          pages('shows in a browser what a person may bind, and nothing else, with words of the provider as text'),
        ),
      },
      {
        threat:
          "has the answer to `kubectl bind`, with its kubeconfig, sent to another place than the person's machine",
        outcome: 'refused',
        answer:
          'It goes to an `http` loopback address, once the person has agreed on a page; `terminals: false` sends none.',
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
          "takes, over Klutch, another's consumer by the id of its cluster, by a subject of another identity provider, or one that an operator made",
        outcome: 'refused',
        answer:
          "The identity has the subject in it, and no id of a cluster can hold its end mark. The namespace says at which identity provider; without that it is nobody's.",
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
          "reads on the portal's pages what a neighbour has bound over Klutch, or has their own cluster name the namespace of a neighbour, whose objects are then counted as theirs",
        outcome: 'refused',
        answer:
          'The namespace of a consumer says live whose it is. A copy counts only where the provider itself has marked the namespace as made for this consumer.',
        reasons: [],
        tests: all(
          klutchPortal(
            'shows people what they have bound over Klutch, and nothing of their neighbours',
            'shows consumers of Klutch to those alone who may list their ClusterBindings',
          ),
        ),
      },
      {
        threat: 'has the browser of a person bind for Klutch by an address alone, or send the kubeconfig elsewhere',
        outcome: 'refused',
        answer: 'Only a form that this person was shown binds, and a terminal is answered at a loopback address.',
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
        threat: 'takes the token of a terminal that shows a code, by guessing, by another terminal, or from a Lease',
        outcome: 'refused',
        answer:
          'The token goes to the terminal with the secret of a challenge, once and within ten minutes. What a person approves is sealed for one code.',
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
          'takes what renews the login of a terminal: uses it after its owner has, after a sign-out, after the account was closed, or at the identity provider',
        outcome: 'refused',
        answer:
          'It is worth one renewal; a second one ends the login everywhere. The refresh token of the identity provider is sealed in it. Used before its owner does, it works until the owner renews.',
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
          "It works only where the operator has switched `deviceCodes` on. The page warns and says for how long, the token ends with the person's session, and the audit log has each approval. With `refreshSeconds` the person also has to confirm it at the identity provider, in the same browser.",
        reasons: [],
        tests: all(
          device(
            'is not there unless it is switched on',
            'lets no terminal in whose approval is confirmed in another browser, by another person, twice, or after a sign-out',
          ),
        ),
      },
      {
        threat: 'asks without end, sends bodies without end, or brings in clusters without end',
        outcome: 'bounded',
        answer:
          'Requests of an address, and of a person, are bounded in a minute, bodies to 1 MiB, clusters for each person; what is presented is kept nowhere. A header of the asker makes no other address of theirs.',
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
        threat:
          'answers a binding with more APIs or claims than the template has, so that the konnector gets rights on them',
        outcome: 'refused',
        answer:
          'More APIs end the command. The binding agrees to the claims that the template was listed with, and the ClusterRole has rights for claimable resources alone.',
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
        threat: 'has the plugin make or send a token of the cluster that is worth something elsewhere',
        outcome: 'refused',
        answer:
          'The token is for the address that the person has named, of a ServiceAccount that the person chooses, for ten minutes. It goes over https, follows no redirect, and is sent only where the provider wants it.',
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
        threat: 'hands out a malformed answer, another kind, or a document that unfolds without end',
        outcome: 'refused',
        answer:
          'Each answer is checked against its schema first. The error names what is wrong, and nothing is written.',
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
        threat: 'sends an answer of its own to the address on which the plugin waits',
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
          'They are in none of these but the file, which only its owner can read. At a Go backend the sign-in has the token in the address.',
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
    who: 'Somebody',
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
        answer: 'It answers no request that has a header of a proxy, or another `Host` than its own.',
        reasons: [],
        tests: all(
          trial('x-forwarded-for', 'answers no other name than its own, and takes no form of another site or browser'),
        ),
      },
      {
        threat: 'has it send a code to another address',
        outcome: 'refused',
        answer: 'It has one client, and that one callback address.',
        reasons: [],
        tests: all(trial('gives a code to no address but that of its portal')),
      },
      {
        threat: 'signs in as one of its people with an account on the same machine',
        outcome: 'bounded',
        answer: 'That is what it is for. The log and each of its pages say so.',
        reasons: [],
        tests: all(trial('says that it is for trying out, in the log and on its page, which runs no script')),
      },
    ],
  },
  {
    title: 'The port for health and metrics',
    who: 'whoever reaches it and …',
    threats: [
      {
        threat: 'sends what is not a request, such as `GET //`',
        outcome: 'refused',
        answer: 'It is answered, and the process lives.',
        reasons: [],
        tests: all(health('answers the target %s and lives', 'answers %s and lives', 'survives %s')),
      },
      {
        threat: 'opens connections without end, or does not finish asking',
        outcome: 'bounded',
        answer: 'Of more than 128 the oldest is closed; after 60 s a request is given up.',
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
          "refers to a Secret that is named as one of the service cluster's own, empty, filled, or with a guess of its contents",
        outcome: 'refused',
        answer:
          'What was not made by the agent is `Occupied`, whatever it says: neither written, nor deleted, nor confirmed.',
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
        threat: 'refers to what another workspace has in a namespace that they share on the service cluster',
        outcome: 'refused',
        answer: 'One place has one source.',
        reasons: ['RelatedCollision'],
        tests: all(
          agent(
            'related-ownership',
            'of two tenants that share a namespace of the service cluster the first has the place, and its content',
          ),
        ),
      },
      {
        threat: 'relates a token Secret, to have one made of a ServiceAccount of the service cluster',
        outcome: 'refused',
        answer: 'The admission policy of the chart refuses it, and the object says so.',
        reasons: [],
        tests: all(hostile('has no token made of a ServiceAccount of the service cluster')),
      },
      {
        threat: 'writes the marks of agents, or of other workspaces, on its objects',
        outcome: 'refused',
        answer: 'Marks of the contract do not travel, and a copy says whose it is by its own place.',
        reasons: ['OtherAgent'],
        tests: all(
          hostile('takes its copy from no agent, and gives it to none, by marks that it writes'),
          agent('ownership', 'a label that a consumer writes does not take the copy of another agent'),
        ),
      },
      {
        threat: 'has controllers hand the marks of a copy down to children',
        outcome: 'refused',
        answer: 'An object that a controller owns is never written or deleted.',
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
        answer:
          "Pages shrink until they fit, and what cannot be handled is that object's problem. Other workspaces are served.",
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
        threat: 'changes an object, or what is related to it, thousands of times a second',
        outcome: 'bounded',
        answer:
          'For one object fifty writes may follow each other, either way, then there are five in a second; other objects do not wait.',
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
        threat: 'has the service cluster refuse an object with words of megabytes, which quote it',
        outcome: 'bounded',
        answer:
          "Of a server's words a thousand characters are told. A condition has at most 4096 characters, an Event 1024 bytes.",
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
        threat: 'fills the workspace up to what it may hold',
        outcome: 'bounded',
        answer: 'What the agent would make there waits, ever less often, and the object says so.',
        reasons: ['WorkspaceFull'],
        tests: all(
          manager(
            'limits',
            'has that told on the object that needs one more, with who must act; it is not tried in a loop, and comes once there is room',
          ),
        ),
      },
      {
        threat: 'relates more objects to one than can be remembered',
        outcome: 'bounded',
        answer: 'The object itself is remembered first; what is too much is not synced, and told.',
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
        threat: 'takes the finalizer off again and again, by an admission of the workspace',
        outcome: 'bounded',
        answer: 'It is set ever less often, up to every 5 minutes, and told.',
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
        threat: 'rejects a claim, or whose provider withdraws a right, while related objects are there',
        outcome: 'bounded',
        answer: 'Deletions wait a minute at most; what is left is named.',
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
        threat: 'is not seen for some seconds, since kcp restarts, loses a shard, or refuses a list',
        outcome: 'refused',
        answer: 'Nothing is let go of or deleted for what could not be read.',
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
        threat: 'puts something into a namespace that the agent is about to remove',
        outcome: 'bounded',
        answer: 'Every type is looked at twice; what comes between the second look and the deletion goes with it.',
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
