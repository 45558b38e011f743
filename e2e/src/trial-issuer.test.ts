import { eventually, freePort } from '@hawser/testenv';
import { databases } from '@hawser/installation';
import { expect } from '@jest/globals';
import { type Answer, Browser } from '../../packages/provider/portal/src/testing/browser.js';
import { LONG } from './copies.js';
import { startProgram, working } from './program.js';
import { describeSystem } from './suite.js';
import { executables } from './system.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };

describeSystem(
  'the identity provider for trying out',
  () => ({ name: 'trial-issuer', resources: [databases] }),
  (system, it) => {
    const args = async (): Promise<{ readonly url: string; readonly args: readonly string[] }> => {
      const url = `http://127.0.0.1:${await freePort()}`;
      return {
        url,
        args: [
          `--kubeconfig=${system().provider.kubeconfigFile}`,
          '--oidc-type=embedded',
          `--oidc-issuer-url=http://127.0.0.1:${await freePort()}/oidc`,
          `--oidc-callback-url=${url}/api/callback`,
        ],
      };
    };
    const start = async (address: string, given: readonly string[]) =>
      startProgram({
        name: 'backend',
        command: executables.backend,
        args: given,
        addressFlag: '--listen-address',
        address,
        env: { POD_NAME: 'backend', POD_NAMESPACE: 'default' },
        folder: system().folder,
        watchdog: system().watchdog,
      });

    const signIn = async (url: string, person: string): Promise<Answer> => {
      const browser = new Browser();
      const query = new URLSearchParams({ client_type: 'ui', session_id: 'S', redirect_url: '/' }).toString();
      const page = await browser.follow(`${url}/api/authorize?${query}`);
      const chosen = await browser.request(page.url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(page.url).origin },
        body: `person=${person}`,
      });
      return browser.follow(chosen.location);
    };

    it('asks a person to come back while its own APIs are not there yet', async () => {
      const { provider } = system();
      const key = { namespace: 'default', name: 'hawser-provider' };
      // Another replica leads, and has not installed them.
      await provider.apply({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: key,
        spec: {
          holderIdentity: 'another',
          leaseDurationSeconds: 600,
          acquireTime: new Date().toISOString().replace('Z', '000Z'),
          renewTime: new Date().toISOString().replace('Z', '000Z'),
        },
      });
      const { url, args: given } = await args();
      const backend = await start(new URL(url).host, given);
      try {
        await eventually(async () => {
          expect((await new Browser().request(`${url}/healthz`)).text).toBe('ok');
        }, LONG);
        const { status, text } = await signIn(url, 'ada');
        expect({ status, text: text.replaceAll(/<[^>]*>/gu, ' ') }).toEqual({
          status: 503,
          text: expect.stringContaining('Try again') as unknown,
        });
      } finally {
        await backend.stop();
        await provider.client.delete(leases, key);
      }
    });

    it('signs people in from the built program', async () => {
      const { url, args: given } = await args();
      const backend = await start(new URL(url).host, given);
      try {
        await eventually(async () => {
          expect((await new Browser().request(`${url}/healthz`)).text).toBe('ok');
        }, LONG);
        await working(backend, 'provider works');
        for (const [person, name] of [
          ['ada', 'Ada'],
          ['grace', 'Grace'],
        ] as const) {
          const catalogue = await signIn(url, person);
          expect([catalogue.status, catalogue.text.includes(`<span>${name}</span>`)]).toEqual([200, true]);
        }
        expect(backend.log()).toContain('without a password');
      } finally {
        await backend.stop();
      }
    });

    it('does not run where other machines reach it', async () => {
      const { url, args: given } = await args();
      const backend = await start(`0.0.0.0:${new URL(url).port}`, given);
      expect(await backend.exited).toEqual({ code: 2, signal: null });
      expect(backend.log()).toContain('provider.portal.address: must be on the loopback interface');
    });
  },
);
