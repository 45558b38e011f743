import { describe, expect, it } from '@jest/globals';
import { createMetrics } from './prom-metrics.js';

describe('metrics', () => {
  it('are exposed as text', async () => {
    const metrics = createMetrics();
    metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] }).inc({ kind: 'a' });
    metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] }).inc({ kind: 'a' }, 2);
    metrics.counter({ name: 'plain_total', help: 'Plain.' }).inc();
    const gauge = metrics.gauge({ name: 'level', help: 'Level.', labels: ['kind'] });
    gauge.set(5, { kind: 'a' });
    gauge.inc({ kind: 'a' }, -2);
    gauge.set(1, { kind: 'gone' });
    gauge.remove({ kind: 'gone' });
    metrics.histogram({ name: 'took_seconds', help: 'Time.', buckets: [1, 10] }).observe(3);
    const { contentType, body } = await metrics.expose();
    expect(contentType).toContain('text/plain');
    for (const line of [
      'things_total{kind="a"} 3',
      'plain_total 1',
      'level{kind="a"} 3',
      'took_seconds_bucket{le="1"} 0',
      'took_seconds_bucket{le="10"} 1',
      'took_seconds_sum 3',
    ])
      expect(body.split('\n')).toContain(line);
    expect(body).not.toContain('gone');
  });

  it('count label objects that come again and again like any other', async () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: 'things_total', help: 'Things.', labels: ['kind'] });
    const gauge = metrics.gauge({ name: 'level', help: 'Level.', labels: ['kind'] });
    const same = { kind: 'a' };
    for (let time = 0; time < 5; time++) {
      counter.inc(same);
      counter.inc({ kind: 'a' }, 10);
      gauge.inc(same, 2);
    }
    gauge.inc(same, -1);
    expect((await metrics.expose()).body).toContain('things_total{kind="a"} 55\n');
    expect((await metrics.expose()).body).toContain('level{kind="a"} 9\n');
    counter.inc(same);
    gauge.set(1, { kind: 'a' });
    gauge.inc(same);
    expect((await metrics.expose()).body).toContain('things_total{kind="a"} 56\n');
    expect((await metrics.expose()).body).toContain('level{kind="a"} 2\n');
    gauge.inc(same);
    gauge.remove(same);
    expect((await metrics.expose()).body).not.toContain('level{');
  });

  it('refuse labels that they do not have, and counters to shrink', () => {
    const counter = createMetrics().counter({ name: 'a_total', help: 'A.', labels: ['x'] });
    const same = { x: '1' };
    counter.inc(same);
    expect(() => {
      counter.inc({ y: '1' });
    }).toThrow();
    expect(() => {
      counter.inc(same, -1);
    }).toThrow();
  });

  it('are one metric per name, and refuse to be two different ones', () => {
    const metrics = createMetrics();
    const first = metrics.counter({ name: 'a_total', help: 'A.', labels: ['x', 'y'] });
    expect(metrics.counter({ name: 'a_total', help: 'A.', labels: ['y', 'x'] })).toBe(first);
    expect(() => metrics.gauge({ name: 'a_total', help: 'A.', labels: ['x', 'y'] })).toThrow(TypeError);
    expect(() => metrics.counter({ name: 'a_total', help: 'A.' })).toThrow('labels [x,y]');
  });

  it('are worked out when asked for, by everybody who has a say, and one that throws harms nobody', async () => {
    const metrics = createMetrics();
    metrics.gauge({
      name: 'depth',
      help: 'D.',
      labels: ['q'],
      collect: (gauge) => {
        gauge.set(1, { q: 'a' });
      },
    });
    metrics.gauge({
      name: 'depth',
      help: 'D.',
      labels: ['q'],
      collect: () => {
        throw new Error('no');
      },
    });
    metrics.gauge({
      name: 'depth',
      help: 'D.',
      labels: ['q'],
      collect: (gauge) => {
        gauge.set(2, { q: 'b' });
      },
    });
    const { body } = await metrics.expose();
    expect(body).toContain('depth{q="a"} 1');
    expect(body).toContain('depth{q="b"} 2');
  });

  it('share nothing between registries', async () => {
    createMetrics().counter({ name: 'mine_total', help: 'M.' }).inc();
    expect((await createMetrics().expose()).body).not.toContain('mine_total');
  });

  it('tell about the process if asked to', async () => {
    expect((await createMetrics({ processMetrics: true }).expose()).body).toContain('process_resident_memory_bytes');
  });
});
