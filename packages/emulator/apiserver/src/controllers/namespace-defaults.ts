import type { JsonObject } from '@hawser/json';
import { equal } from '@hawser/json';
import { objectField, stringMap } from '../object/json.js';
import { isDeleting, metaOf, withMeta } from '../object/meta.js';
import type { Controller, ServerHost } from '../parts.js';
import type { GroupResource } from '../status.js';
import { objectController } from './object-controller.js';
import { configMaps, isResource, namespaces, serviceAccounts } from './resources.js';

const rootCertificate = 'kube-root-ca.crt';
const descriptionAnnotation = 'kubernetes.io/description';
const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Creates the ServiceAccount `default` in every namespace. */
export function defaultServiceAccounts(host: ServerHost): Controller {
  return inEveryNamespace(host, 'serviceaccount-controller', serviceAccounts, 'default', (namespace) => {
    if (host.objects.get(serviceAccounts, { namespace, name: 'default' }) !== undefined) return;
    host.objects.create(serviceAccounts, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace },
    });
  });
}

/** Publishes the authority's certificate in every namespace, if the server has a listener. */
export function rootCertificates(host: ServerHost): Controller {
  return inEveryNamespace(
    host,
    'root-ca-certificate-publisher-controller',
    configMaps,
    rootCertificate,
    (namespace) => {
      const pem = host.authorityPem();
      if (pem === '') return;
      const data = { 'ca.crt': pem };
      const current = host.objects.get(configMaps, { namespace, name: rootCertificate });
      if (current === undefined)
        host.objects.create(configMaps, {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: rootCertificate, namespace, annotations: { [descriptionAnnotation]: description } },
          data,
        });
      else if (
        !equal(objectField(current, 'data'), data) ||
        (stringMap(metaOf(current), 'annotations').get(descriptionAnnotation) ?? '') === ''
      ) {
        host.objects.update(configMaps, described({ ...current, data }));
      }
    },
  );
}

function described(object: JsonObject): JsonObject {
  return withMeta(object, { annotations: { ...metaOf(object).annotations, [descriptionAnnotation]: description } });
}

function inEveryNamespace(
  host: ServerHost,
  name: string,
  resource: GroupResource,
  objectName: string,
  ensure: (namespace: string) => void,
): Controller {
  return objectController(host, {
    name,
    all: () => host.objects.list(namespaces).map((namespace) => metaOf(namespace).name ?? ''),
    concerned: (change) => {
      if (isResource(change.resource, namespaces)) return change.type === 'DELETED' ? [] : [change.key.name];
      return isResource(change.resource, resource) && change.key.name === objectName && change.type !== 'ADDED'
        ? [change.key.namespace]
        : [];
    },
    work: (namespace) => {
      const object = host.objects.get(namespaces, { namespace: '', name: namespace });
      if (object !== undefined && !isDeleting(object)) ensure(namespace);
    },
  });
}
