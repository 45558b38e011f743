import { eventually, freePort } from '@hawser/testenv';
import { databases } from '@hawser/installation';
import { expect } from '@jest/globals';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import { LONG } from './copies.js';
import { startProgram } from './program.js';
import { describeSystem } from './suite.js';
import { executables } from './system.js';

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

    it('signs people in from the built program', async () => {
      const { url, args: given } = await args();
      const backend = await start(new URL(url).host, given);
      try {
        await eventually(async () => {
          expect((await new Browser().request(`${url}/healthz`)).text).toBe('ok');
        }, LONG);
        for (const [person, name] of [
          ['ada', 'Ada'],
          ['grace', 'Grace'],
        ] as const) {
          const query = new URLSearchParams({ client_type: 'ui', session_id: 'S', redirect_url: '/' }).toString();
          // Answered with 500 once on a busy machine, and why is not known: each try that fails prints what the program said.
          await eventually(async () => {
            const browser = new Browser();
            const page = await browser.follow(`${url}/api/authorize?${query}`);
            const chosen = await browser.request(page.url, {
              method: 'POST',
              headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(page.url).origin },
              body: `person=${person}`,
            });
            const catalogue = await browser.follow(chosen.location);
            if (catalogue.status === 200 && catalogue.text.includes(`<span>${name}</span>`)) return;
            process.stderr.write(`${person}: ${catalogue.status} ${catalogue.text}\n${backend.log()}\n`);
            throw new Error(`${person} was answered with ${catalogue.status}`);
          }, LONG);
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
