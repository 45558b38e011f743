import { type JsonValue, isObject, stringify, type JsonObject } from '@hawser/json';
import { dig } from '../answer.js';
import { cases, table } from '../case.js';
import { allow, readers } from './granted.js';

const reviews = '/apis/authorization.k8s.io/v1';

/** The server lists them in its own order. */
const sortedRules = (body: JsonValue): JsonValue => {
  const status = dig(body, ['status']);
  if (!isObject(status) || !isObject(body)) return body;
  const sort = (value: JsonValue | undefined): JsonValue =>
    Array.isArray(value) ? (value as readonly JsonValue[]).map((one) => stringify(one)).sort() : (value ?? null);
  return {
    ...body,
    status: {
      ...status,
      resourceRules: sort(status['resourceRules']),
      nonResourceRules: sort(status['nonResourceRules']),
    },
  };
};

export const reviewCases = cases('reviews', {
  async 'what may I do'(api) {
    const attributes = { namespace: api.namespace, verb: 'get', resource: 'configmaps' };
    await api.create(`${reviews}/selfsubjectaccessreviews`, { spec: { resourceAttributes: attributes } });
    await api.create(
      `${reviews}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes: attributes } },
      { as: { user: 'jane' } },
    );
    await api.create(
      `${reviews}/selfsubjectaccessreviews`,
      { spec: { nonResourceAttributes: { path: '/apis', verb: 'get' } } },
      { as: { user: 'jane' } },
    );
  },
  async 'what may somebody do'(api) {
    const user = `${api.id}-jane`;
    await allow(api, user, readers);
    const review = (spec: JsonObject): Promise<unknown> => api.create(`${reviews}/subjectaccessreviews`, { spec });
    await review({ user, resourceAttributes: { namespace: api.namespace, verb: 'list', resource: 'configmaps' } });
    await review({
      user,
      resourceAttributes: { namespace: api.namespace, verb: 'delete', resource: 'configmaps', name: 'x' },
    });
    await review({ user, resourceAttributes: { verb: 'list', resource: 'configmaps' } });
    await review({ user, groups: ['system:masters'], resourceAttributes: { verb: '*', resource: '*', group: '*' } });
    await review({ groups: ['system:authenticated'], nonResourceAttributes: { path: '/apis', verb: 'get' } });
  },
  ...table<JsonObject>(
    {
      nobody: { resourceAttributes: { verb: 'get', resource: 'pods' } },
      nothing: { user: 'jane' },
      both: {
        user: 'jane',
        resourceAttributes: { verb: 'get', resource: 'a' },
        nonResourceAttributes: { path: '/', verb: 'get' },
      },
      'a field selector': {
        user: 'jane',
        resourceAttributes: { verb: 'list', resource: 'a', fieldSelector: { rawSelector: 'metadata.name=x' } },
      },
      'an extra and a uid': {
        user: 'jane',
        uid: 'u',
        extra: { a: ['b'] },
        resourceAttributes: { verb: 'get', resource: 'a' },
      },
    },
    async (api, spec) => {
      await api.create(`${reviews}/subjectaccessreviews`, { spec });
    },
    'a review of ',
  ),
  async 'a local review'(api) {
    const path = `${reviews}/namespaces/${api.namespace}/localsubjectaccessreviews`;
    await api.create(path, {
      metadata: { namespace: api.namespace },
      spec: { user: 'jane', resourceAttributes: { namespace: api.namespace, verb: 'get', resource: 'a' } },
    });
    await api.create(path, {
      spec: { user: 'jane', resourceAttributes: { namespace: 'other', verb: 'get', resource: 'a' } },
    });
  },
  async 'the rules that count for somebody'(api) {
    await allow(api, `${api.id}-jane`, readers);
    await api.create(
      `${reviews}/selfsubjectrulesreviews`,
      { spec: { namespace: api.namespace } },
      { as: { user: `${api.id}-jane`, groups: ['system:nobody'] }, select: sortedRules },
    );
    await api.create(`${reviews}/selfsubjectrulesreviews`, { spec: {} });
  },
  async 'who am I'(api) {
    await api.create(
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      { as: { user: 'jane', groups: ['devs'] } },
    );
    await api.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { as: 'anonymous' });
  },
  async 'reviews can only be created'(api) {
    await api.get(`${reviews}/subjectaccessreviews`);
    await api.get(`${reviews}/selfsubjectaccessreviews/one`);
    await api.delete(`${reviews}/selfsubjectaccessreviews`);
  },
  async 'reviewing somebody has to be allowed'(api) {
    await api.create(
      `${reviews}/subjectaccessreviews`,
      { spec: { user: 'joe', resourceAttributes: { verb: 'get', resource: 'a' } } },
      { as: { user: 'jane' } },
    );
  },
});
