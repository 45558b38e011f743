import { type OwnPolicy, celList, celUnless, ownPolicy, powers, systemNamespaces, tokenTypes } from '@hawser/preview';
import { labels } from '@hawser/syncagent-api';

export interface AgentPolicyOptions {
  /** Namespace of the agent. */
  readonly namespace: string;
  /** Name of its ServiceAccount in that namespace. */
  readonly serviceAccount: string;
}

/** Name of the policy for an agent, and of its binding. The chart names its cluster-wide objects the same way. */
export function agentPolicyName({ namespace, serviceAccount }: AgentPolicyOptions): string {
  return `hawser-${serviceAccount}-${namespace}`;
}

/** Annotation of a Namespace: the agent that made it. */
const CREATED_BY = 'hawser.dev/created-by';

/** Types whose objects hold synced data or grant rights. */
const contents = ['secrets', 'configmaps', 'serviceaccounts'];

/**
 * Prevents an agent from acting as another user of the service cluster. RBAC cannot name what it creates: with `create`
 * and `list` on Secrets, it would have a token of any ServiceAccount in its namespace, and in every namespace with
 * Secrets as related objects. The policy grants nothing.
 */
export function agentPolicy(options: AgentPolicyOptions): OwnPolicy {
  const { namespace, serviceAccount } = options;
  return ownPolicy({
    name: agentPolicyName(options),
    user: `system:serviceaccount:${namespace}:${serviceAccount}`,
    watched,
    variables,
    rules: [
      ...secretRules(namespace),
      serviceAccountRule,
      ...contentRules(namespace),
      namespaceRule,
      {
        expression: `request.resource.resource in ${celList([...contents, 'namespaces'])}`,
        message: 'the agent gives no rights and changes nothing of the API server, whatever it was granted',
      },
    ],
  });
}

type Rules = Parameters<typeof ownPolicy>[0];
type Rule = Rules['rules'][number];

const watched: Rules['watched'] = [
  {
    groups: [''],
    resources: [
      'namespaces',
      'namespaces/*',
      ...contents,
      'serviceaccounts/token',
      'pods/*',
      'nodes',
      'nodes/*',
      'persistentvolumes',
    ],
  },
  { groups: ['apiextensions.k8s.io'], resources: ['*'] },
  { groups: ['syncagent.kcp.io'], resources: ['publishedresources'] },
  ...powers,
];

const variables: Rules['variables'] = [
  {
    name: 'name',
    expression:
      "object != null && has(object.metadata) && has(object.metadata.name) ? object.metadata.name : (oldObject != null ? oldObject.metadata.name : '')",
  },
  {
    name: 'controlled',
    expression:
      'oldObject != null && oldObject.metadata.?ownerReferences.orValue([]).exists(one, one.?controller.orValue(false))',
  },
  // State Secrets, by their name or label, and the record of publications.
  {
    name: 'isRecord',
    expression: `[object, oldObject].all(one, one == null || one.metadata.name.startsWith('hawser-publications.') || one.metadata.name.startsWith('obj-state-') || one.metadata.?labels[?'${labels.objectState}'].orValue('') == 'true')`,
  },
];

function secretRules(namespace: string): readonly Rule[] {
  return [
    {
      expression: celUnless(
        ['secrets'],
        `[object, oldObject].all(one, one == null || !(one.?type.orValue('Opaque') in ${celList(tokenTypes)}))`,
      ),
      message: 'the agent writes and deletes no Secret for which Kubernetes issues or takes a token',
    },
    {
      expression: celUnless(['secrets'], `request.namespace != '${namespace}' || variables.isRecord`),
      message: 'in its own namespace the agent writes and deletes its records, and no other Secret',
    },
  ];
}

const serviceAccountRule: Rule = {
  expression: celUnless(['serviceaccounts'], "request.?subResource.orValue('') == '' && variables.name != 'default'"),
  message: 'the agent asks for no token, and leaves ServiceAccount default alone',
};

function contentRules(namespace: string): readonly Rule[] {
  const kept = (field: string): string => `object.metadata.?${field} == oldObject.metadata.?${field}`;
  return [
    {
      // An agent may run there, with its records.
      expression: celUnless(
        contents,
        `(!(request.namespace in ${celList(systemNamespaces)}) || (request.namespace == '${namespace}' && request.resource.resource == 'secrets')) && !variables.controlled`,
      ),
      message: `the agent writes nothing in ${systemNamespaces.join(', ')}, and nothing that a controller owns`,
    },
    {
      expression: celUnless(
        contents,
        `object == null || oldObject == null || (${kept('finalizers')} && ${kept('ownerReferences')})`,
      ),
      message: 'the agent sets no finalizers and owners on related objects, and removes none',
    },
  ];
}

const namespaceRule: Rule = {
  expression: celUnless(
    ['namespaces'],
    `request.?subResource.orValue('') == '' && (object == null || oldObject == null) && [object, oldObject].all(one, one == null || '${CREATED_BY}' in one.metadata.?annotations.orValue({})) && variables.name != 'default' && !(variables.name in ${celList(systemNamespaces)})`,
  ),
  message: 'the agent makes namespaces that say so, removes those, and changes none',
};
