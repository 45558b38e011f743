import { type JsonObject, equal } from '@hawser/json';
import { aggregateRules } from '@hawser/rbac';
import { asRole } from '../auth/stored-policy.js';
import { arrayField, objectField } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import type { Controller, ServerHost } from '../parts.js';
import { objectController } from './object-controller.js';
import { clusterRoles, isResource } from './resources.js';

/** Fills the rules of ClusterRoles with an `aggregationRule` from those that their selectors select. */
export function clusterRoleAggregation(host: ServerHost): Controller {
  const aggregating = (): readonly string[] =>
    host.objects
      .list(clusterRoles)
      .filter(isAggregating)
      .map((role) => metaOf(role).name ?? '');
  return objectController(host, {
    name: 'clusterrole-aggregation-controller',
    all: aggregating,
    concerned: ({ resource }) => (isResource(resource, clusterRoles) ? aggregating() : []),
    work: (name) => {
      sync(host, name);
    },
  });
}

function isAggregating(role: JsonObject): boolean {
  return objectField(role, 'aggregationRule') !== undefined;
}

function sync(host: ServerHost, name: string): void {
  const role = host.objects.get(clusterRoles, { namespace: '', name });
  const { aggregationRule } = role === undefined ? {} : asRole(role);
  if (role === undefined || aggregationRule === undefined || aggregationRule === null) return;
  const rules = aggregateRules(
    name,
    aggregationRule,
    host.objects.list(clusterRoles).map((each) => asRole(each)),
  ) as unknown as readonly JsonObject[];
  if (!equal(rules, arrayField(role, 'rules')))
    host.objects.update(clusterRoles, { ...role, rules }, { fieldManager: 'clusterrole-aggregation-controller' });
}
