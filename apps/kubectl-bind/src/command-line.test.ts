import { ConfigError, parseFlags } from '@hawser/config';
import { describe, expect, it } from '@jest/globals';
import { commands, inOurWords, readCommand } from './command-line.js';
import { addressOf, askedServer, serverFlags } from './server-choice.js';

const read = (line: string): unknown => readCommand(line.split(' '), 'v1');

describe('the command line of kubectl bind', () => {
  it.each([
    ['login', 'login needs the ADDRESS'],
    ['login https://a https://b', 'unexpected argument: https://b'],
    ['login portal.example.com', 'must be an address'],
    ['login ftp://portal.example.com', 'must be an address'],
    ['login https://jane:secret@portal.example.com', 'without a user'],
    ['login https://a --timeout soon', '--timeout: is not a duration'],
    ['servers use', 'servers takes no argument, or use NAME'],
    ['templates -o wide', '--output: must be one of table, json, yaml, name'],
    ['apiservice', 'either --template-name or --file'],
    ['apiservice --template-name a', 'needs the NAME'],
    ['apiservice a b --template-name a', 'unexpected argument: b'],
    ['apiservice a --name b --template-name a', 'two names'],
    ['apiservice a --template-name a -f b', 'either --template-name or --file'],
    ['apiservice -f a', '--file needs the kubeconfig'],
    ['apiservice -f a --remote-kubeconfig-name b', 'belong together'],
    ['apiservice -f a --remote-kubeconfig b --remote-kubeconfig-name c --remote-kubeconfig-namespace d', 'not both'],
    ['deploy', 'either --file or --secret'],
    ['deploy -f a --secret b/c', 'either --file or --secret'],
    ['deploy --secret a', 'must be NAMESPACE/NAME'],
    ['deploy --secret a/b/c', 'must be NAMESPACE/NAME'],
    ['https://a https://b', 'unexpected argument'],
    ['https://a --server https://b', 'two servers'],
    ['--cluster x', '--cluster: needs --server'],
    ['pages --server https://a@x --cluster y', 'names a cluster already'],
    ['upgrade', 'upgrade needs --konnector-image'],
    ['upgrade --konnector-image -x', 'is not an image'],
    ['upgrade --konnector-image a --konnector-host-alias host', 'must be IP:HOST,HOST'],
    ['apiservice a --template-name a --konnector-host-alias 10.0.0.1:a', 'needs --konnector-image'],
    ['rotate', 'rotate needs the NAME'],
    ['unbind', 'unbind needs the NAME'],
    ['why', 'why needs KIND and NAME'],
    ['logn https://a', 'login'],
    ['apiservice a --template-name a --sekret b', '--secret'],
  ])('refuses "%s"', (line, words) => {
    expect(() => read(line)).toThrow(ConfigError);
    expect(() => read(line)).toThrow(words);
  });

  it('shows no password that stands in an address', () => {
    expect(() => read('login https://jane:secret@portal.example.com')).not.toThrow(/secret/u);
  });

  it.each(commands.map(({ description: { name } }) => name))('has help for %s, in words of its own', (name) => {
    const help = read(`${name} --help`);
    expect(help).toEqual(expect.stringContaining(`kubectl bind ${name}`));
    expect(help).not.toMatch(/\bhawser [a-z]/u);
  });

  it('has examples that it understands', () => {
    for (const { description } of commands)
      for (const { line } of description.examples)
        expect(() => readCommand(line.split(' ').slice(2), 'v1')).not.toThrow();
  });

  it('completes commands and flags in the words of cobra', () => {
    expect(readCommand(['__complete', 'log'], 'v1')).toBe('login\tsign in at a portal\nlogout\tend a login\n:4');
    expect(readCommand(['__complete', 'unbind', '--pol'], 'v1')).toMatch(/^--policy\t.*\n:4$/u);
    expect(readCommand(['__complete', 'unbind', ''], 'v1')).toBe(':4');
  });

  it('says what a command of hawser says in its own words', () => {
    expect(inOurWords('see hawser unbind --help; look at hawser bindings')).toBe(
      'see kubectl bind unbind --help; look at kubectl bind list',
    );
  });
});

describe('the server that is meant', () => {
  it.each([
    ['https://portal.example.com', 'https://portal.example.com'],
    ['https://portal.example.com/', 'https://portal.example.com'],
    ['https://portal.example.com/base/', 'https://portal.example.com/base'],
    ['http://127.0.0.1:8080/api/exports', 'http://127.0.0.1:8080'],
    ['https://PORTAL.example.com:443', 'https://portal.example.com'],
  ])('%s is %s', (text, address) => {
    expect(addressOf(text)).toBe(address);
  });

  it('may name a cluster of kcp behind it', () => {
    const asked = (text: string): unknown => askedServer(parseFlags([`--server=${text}`], serverFlags));
    expect(asked('https://a.example.com@2dl0kxe5')).toEqual({ url: 'https://a.example.com', cluster: '2dl0kxe5' });
    expect(asked('https://a.example.com')).toEqual({ url: 'https://a.example.com', cluster: undefined });
    expect(() => asked('https://jane@a.example.com')).toThrow('without a user');
  });
});
