import type { Flags } from '../line/command.js'

/** The options of `capstan run`. */
export const runFlags = {
  agent: { type: 'string', value: 'NAME', says: 'the export to run, where there are several agents' },
  json: { type: 'boolean', says: 'every event as a line of JSON, and nothing else' },
  attach: { type: 'string', value: 'PATH', multiple: true, says: 'a file for the agent to work with' },
  out: { type: 'string', value: 'DIR', says: 'write what was made into this folder' },
  context: { type: 'string', value: 'JSON', says: 'what the tools are told of the run' },
  state: { type: 'string', value: 'FILE', says: 'write the state of the run here at its end' },
  resume: { type: 'string', value: 'FILE', says: 'go on with the run of this state' },
  approve: { type: 'string', value: 'ID', multiple: true, says: 'let a call that waits run' },
  deny: { type: 'string', value: 'ID=REASON', multiple: true, says: 'refuse a call that waits' },
  result: {
    type: 'string',
    value: 'ID=JSON',
    multiple: true,
    says: 'answer a call that waits for its result',
  },
  record: { type: 'string', value: 'FILE', says: 'record the run, for capstan explain and for tests' },
} as const satisfies Flags
