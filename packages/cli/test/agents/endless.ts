import { Agent, type ChatModel, tool } from '@capstan/core'
import * as z from 'zod'
import { asksThenAnswers } from './asks-then-answers.js'

const wait = tool({
  name: 'wait',
  description: 'Waits until it is stopped',
  parameters: z.object({ what: z.string().describe('What for') }),
  async *execute({ what }) {
    yield `no ${what} yet`
    await new Promise(() => {})
  },
})

/** Does not react when its call is aborted. */
export const hang = tool({
  name: 'hang',
  description: 'Hangs, and says so when it is asked to stop',
  parameters: z.object({}),
  execute: (_args, { signal }) => {
    console.log('hanging')
    signal.addEventListener('abort', () => {
      console.log('hanging on')
      // Blocks the process, so that only a second signal can end it.
      for (const end = Date.now() + 60_000; Date.now() < end; );
    })
    return new Promise(() => {})
  },
})

export const much = tool({
  name: 'much',
  description: 'Says more than a pipe holds',
  parameters: z.object({}),
  execute: () => 'x'.repeat(3_000_000),
})

export const fails = tool({
  name: 'fails',
  description: 'Fails each time',
  parameters: z.object({}),
  execute: () => {
    throw new Error('It broke.')
  },
})

export const later = tool({
  name: 'later',
  description: 'Fails after the command has read its result',
  parameters: z.object({}),
  execute: () => {
    setTimeout(() => {
      throw new Error('Late trouble.')
    })
    return new Promise(() => {})
  },
})

const talking: ChatModel = {
  name: 'talking',
  async complete({ signal }, sink) {
    for (;;) {
      signal.throwIfAborted()
      sink?.({ type: 'text', text: 'and so on, ' })
      await new Promise((resolve) => setImmediate(resolve))
    }
  },
}
export const talker = new Agent({ name: 'talker', model: talking })

const model = asksThenAnswers([['wait', { what: 'ship' }]], 'It came.')
export default new Agent({ name: 'watchman', model, tools: [wait] })

// Keeps the process alive, which must end anyway.
setInterval(() => {}, 60_000)
