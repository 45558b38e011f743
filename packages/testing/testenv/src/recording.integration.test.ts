import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parse } from '@hawser/json';
import {
  type ControlPlane,
  type StoredObject,
  describeWithControlPlane,
  etcdEntries,
  eventually,
  openDefinitions,
  readRecording,
  startControlPlane,
} from './index.js';

const recordings = ['consumer', 'provider'].flatMap((side) =>
  ['prefixed-cluster', 'prefixed-namespaced', 'none-cluster', 'namespaced-cluster'].map(
    (mode) => `kube-bind-0.8.1-${mode}/${side}.json`,
  ),
);

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

function pathOf({ resource, object }: StoredObject): string {
  const { name, namespace } = object['metadata'] as unknown as Metadata;
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  return [root, ...(namespace === undefined ? [] : ['namespaces', namespace]), resource.resource, name].join('/');
}

/** All but the resourceVersion, which is the server's. */
function comparable(object: object): unknown {
  const { metadata, ...rest } = object as { metadata: Metadata };
  return { ...rest, metadata: { ...metadata, resourceVersion: undefined } };
}

describeWithControlPlane('recorded objects in etcd', () => {
  // One of them is enough for every pull request; all eight have been compared by hand.
  for (const file of process.env['HAWSER_ALL_RECORDINGS'] === '1'
    ? recordings
    : recordings.filter((one) => one.includes('prefixed-cluster'))) {
    describeOne(file);
  }
});

function describeOne(file: string): void {
  let controlPlane: ControlPlane | undefined;
  const objects: StoredObject[] = [];
  beforeAll(() => {
    objects.push(...readRecording(file));
  });
  afterAll(async () => {
    await controlPlane?.stop();
  });

  it(`are served as they were recorded: ${file}`, async () => {
    controlPlane = await startControlPlane({ load: etcdEntries([...objects, ...openDefinitions(objects)]) });
    const cluster = controlPlane;
    for (const recorded of objects) {
      await eventually(async () => {
        const answer = await cluster.request({ method: 'GET', path: pathOf(recorded) });
        expect([pathOf(recorded), answer.status]).toEqual([pathOf(recorded), 200]);
        expect(comparable(parse(answer.text) as object)).toEqual(comparable(recorded.object));
      });
    }
    expect(objects.length).toBeGreaterThan(10);
  }, 180_000);
}
