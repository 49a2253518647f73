import { Agent, type AnyAgent, type AnyTool } from '@capstan/core'
import { type ForgetfulOptions, forgetfulModel } from './forgetful-model.js'
import type { Ledger } from './ledger.js'
import { ledgerTools } from './ledger-tools.js'
import type { Scenario } from './scenario.js'

/** The runs of the suite. Their agents' names are theirs alone. */
export function scenarios(ledger: Ledger): readonly Scenario[] {
  const tools = ledgerTools(ledger)
  const agent = (name: string, given: readonly AnyTool[], plan: ForgetfulOptions) =>
    new Agent({ name, model: forgetfulModel(ledger, plan), tools: given, concurrency: 64 }) as AnyAgent &
      Pick<Agent, 'asTool'>
  const three = ['note', 'note', 'note']
  const fifty = Array.from({ length: 50 }, () => 'reverse')
  const worker = agent('fault_worker', [tools.note], { turns: [['note'], ['note', 'note']] })
  const sender = agent('fault_sender', [tools.send], { turns: [['send']] })
  return [
    {
      name: 'three turns of three calls',
      agent: agent('fault_turns', [tools.note], { turns: [three, three, three] }),
      requests: ['t0/model', 't1/model', 't2/model', 't3/model'],
      effects: [0, 1, 2].flatMap((turn) => [0, 1, 2].map((index) => `t${turn}/tool${index}`)),
    },
    {
      name: 'an agent within an agent',
      agent: agent('fault_asker', [worker.asTool(), tools.note], { turns: [['fault_worker', 'note']] }),
      requests: ['t0/model', 't1/model', ...['t0', 't1', 't2'].map((turn) => `t0/child0/${turn}/model`)],
      effects: ['t0/tool1', 't0/child0/t0/tool0', 't0/child0/t1/tool0', 't0/child0/t1/tool1'],
    },
    {
      name: 'a call that needs a yes',
      agent: agent('fault_approvals', [tools.note, tools.send], { turns: [['note', 'send', 'note']] }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0', 't0/decided1', 't0/tool2'],
      waits: 1,
    },
    {
      name: 'a call within an agent that needs a yes',
      agent: agent('fault_inner_approvals', [sender.asTool()], { turns: [['fault_sender']] }),
      requests: ['t0/model', 't1/model', 't0/child0/t0/model', 't0/child0/t1/model'],
      effects: ['t0/child0/t0/decided0'],
      waits: 1,
    },
    {
      name: 'calls that throw, and that say nothing or a date',
      agent: agent('fault_results', [tools.broken, tools.silent, tools.dated], {
        turns: [['broken', 'silent', 'dated']],
      }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0', 't0/tool1', 't0/tool2'],
    },
    {
      name: 'fifty calls that end in reverse order',
      agent: agent('fault_many', [tools.reverse], { turns: [fifty] }),
      requests: ['t0/model', 't1/model'],
      effects: fifty.map((_, index) => `t0/tool${index}`),
    },
    {
      name: 'a model that fails',
      agent: agent('fault_refusal', [tools.note], { turns: [['note']], failsAt: 1 }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0'],
      fails: true,
    },
    {
      name: 'a run whose time is limited',
      agent: agent('fault_time', [tools.slow], { turns: [['slow'], ['slow']] }),
      options: { limits: { seconds: 3600 } },
      leastSeconds: 0.04,
      requests: ['t0/model', 't1/model', 't2/model'],
      effects: ['t0/tool0', 't1/tool0'],
    },
  ]
}
