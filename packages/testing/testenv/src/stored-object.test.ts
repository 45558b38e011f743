import { describe, expect, it } from '@jest/globals';
import { openDefinitions } from './open-definitions.js';
import { etcdEntries, parseRecording } from './stored-object.js';

const recording = `{
  "/api/v1/namespaces": [{"metadata": {"name": "n", "uid": "1", "resourceVersion": "7"}}],
  "/apis/rbac.authorization.k8s.io/v1/roles": [{"metadata": {"name": "system:r", "namespace": "n"}}],
  "/apis/example.com/v1/databases": [{"apiVersion": "example.com/v1", "kind": "Database", "metadata": {"name": "d", "namespace": "n", "managedFields": [{"manager": "m"}]}, "spec": {"big": 9007199254740993, "__proto__": {"a": 1}}}],
  "/apis/example.com/v1/zones": [{"apiVersion": "example.com/v1", "kind": "Zone", "metadata": {"name": "z"}}]
}`;

describe('a recording', () => {
  it('has the type of every object filled in where the list left it out', () => {
    expect(parseRecording(recording).map(({ object }) => [object['apiVersion'], object['kind']])).toEqual([
      ['v1', 'Namespace'],
      ['rbac.authorization.k8s.io/v1', 'Role'],
      ['example.com/v1', 'Database'],
      ['example.com/v1', 'Zone'],
    ]);
  });

  it('lies in etcd where the API server looks for it', () => {
    expect(etcdEntries(parseRecording(recording)).map(({ key }) => key)).toEqual([
      '/registry/namespaces/n',
      '/registry/roles/n/system:r',
      '/registry/example.com/databases/n/d',
      '/registry/example.com/zones/z',
    ]);
  });

  it('keeps all but the resourceVersion, every digit included', () => {
    const [namespace, , database] = etcdEntries(parseRecording(recording)).map(({ value }) => value);
    expect(JSON.parse(namespace!)).toEqual({ metadata: { name: 'n', uid: '1' }, apiVersion: 'v1', kind: 'Namespace' });
    expect(database).toContain('"big":9007199254740993');
    expect(database).toContain('"__proto__":{"a":1}');
    expect(database).toContain('"managedFields":[{"manager":"m"}]');
  });

  it('names what it cannot use', () => {
    expect(() => parseRecording('{"/nonsense": []}')).toThrow('/nonsense is not the path of a list');
    expect(() => parseRecording('{"/apis/x.y/v1/things": [{"metadata": {"name": "a"}}]}')).toThrow(
      'the kind of things.x.y is not known',
    );
    expect(() => parseRecording('{"/api/v1/secrets": {}}')).toThrow('not a list of items');
  });

  it('gets definitions for the custom resources that have none', () => {
    const objects = parseRecording(recording);
    const definitions = openDefinitions(objects);
    expect(
      definitions.map(({ object }) => [
        (object['metadata'] as { name: string }).name,
        (object['spec'] as { scope: string }).scope,
      ]),
    ).toEqual([
      ['databases.example.com', 'Namespaced'],
      ['zones.example.com', 'Cluster'],
    ]);
    expect(openDefinitions([...objects, ...definitions])).toEqual([]);
  });
});
