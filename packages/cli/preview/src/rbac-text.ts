import type { PolicyRule } from '@hawser/rbac';
import { stringify } from 'yaml';

import type { CheckedRole, SideRights } from './side-rights.js';

/** Whether all compared users have all rights; false if a comparison failed. */
export function lacksNothing(sides: readonly SideRights<unknown>[]): boolean {
  return sides.every(
    ({ roles, absent = [], refusal }) =>
      refusal === undefined && absent.length === 0 && roles.every(({ missing }) => missing.length === 0),
  );
}

/** Roles as YAML documents for kubectl, with the difference as comments. `headline`: a sentence about one side. */
export function rbacText<Side>(
  sides: readonly SideRights<Side>[],
  headline: (side: SideRights<Side>) => string,
): string {
  return sides.map((side) => sideText(side, headline(side))).join('\n---\n');
}

function sideText<Side>({ who, roles, excess, absent = [], refusal }: SideRights<Side>, headline: string): string {
  const missing = roles.filter((role) => role.missing.length > 0);
  const difference =
    refusal !== undefined
      ? [`What ${who} may do could not be compared: ${refusal}`]
      : [
          ...absent,
          ...(missing.length === 0
            ? absent.length === 0
              ? [`${who} has all of it.`]
              : []
            : [
                `${who} lacks:`,
                ...missing.flatMap(({ namespace, missing: rules }) =>
                  rules.map((one) => `  ${where(namespace)}: ${inWords(one)}`),
                ),
              ]),
          ...(excess.length === 0
            ? []
            : [
                'Beyond what is needed there is:',
                ...excess.flatMap(({ namespace, rules }) =>
                  rules.map((one) => `  ${where(namespace)}: ${inWords(one)}`),
                ),
              ]),
        ];
  return `${[headline, ...difference].map((line) => `# ${line}`).join('\n')}\n${roles.map(roleText).join('\n---\n')}`;
}

function roleText({ name, namespace, labels, rules }: CheckedRole<unknown>): string {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  return stringify(
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: {
        name,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
      },
      rules,
    },
    { aliasDuplicateObjects: false, lineWidth: 0 },
  ).trimEnd();
}

function where(namespace: string | undefined): string {
  return namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`;
}

function inWords({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  const what = [
    ...resources.map(
      (resource) => `${resource}${apiGroups.map((group) => (group === '' ? '' : `.${group}`)).join('|')}`,
    ),
    ...nonResourceURLs,
  ].join(', ');
  return `${verbs.join(', ')} ${what}${resourceNames.length === 0 ? '' : ` named ${resourceNames.join(', ')}`}`;
}
