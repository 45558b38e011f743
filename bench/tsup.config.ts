import { application } from '../tools/tsup.ts';

export default application({
  'bare-loop': 'src/bare-loop.ts',
  'bare-agent': 'src/agent/bare-agent.ts',
  'kcp-server': 'src/agent/kcp-server.ts',
  probe: 'src/agent/probe.ts',
});
