// Moderation around media calls: a policy reads what is asked for before anything is sent, a host looks at what came
// back before the model hears of it.
import {
  Agent,
  type Answer,
  allow,
  type BindHost,
  chatModel,
  deny,
  type Policy,
  type Settled,
} from '@capstan/core'
import { mediaTools } from '@capstan/media'
import { startService } from '@capstan/service'

/** Before: a stand-in for your check of words. */
const decentWords: Policy = ({ arguments: given }) =>
  /\b(gun|blood)\b/i.test(JSON.stringify(given)) ? deny('Weapons and blood are not drawn here.') : allow

/** After: a stand-in for your check of pictures, which may read their bytes from the run's store. */
const isDecent = async (picture: ReadableStream<Uint8Array>): Promise<boolean> => {
  const { byteLength } = await new Response(picture as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()
  return byteLength < 40_000
}

const moderated: BindHost = ({ runId, signal, artifacts }) => {
  const step: ReturnType<BindHost>['step'] = async (one) => {
    if (!('run' in one)) throw new Error('This host runs no agents within agents.')
    const value = await one.run({ idempotencyKey: `${runId}/${one.key}`, signal })
    if (one.options?.kind !== 'tool') return value
    // What a tool's step comes to is the answer that the model would read; what it spent stays counted.
    const { result, artifacts: made = [], ...answer } = value as Answer
    for (const { id, kind } of made) {
      if (kind !== 'image' || (await isDecent(await artifacts.open(id)))) continue
      await artifacts.delete(id)
      return { ...answer, status: 'denied', content: 'Withheld: the picture did not pass.' } as typeof value
    }
    return value
  }
  return {
    step,
    all: (steps) => Promise.allSettled(steps.map(step)).then((all) => all.map(toSettled)),
    waitFor: async () => undefined,
    now: async () => Date.now(),
    id: async () => crypto.randomUUID(),
    sleep: (_, ms) => new Promise((done) => setTimeout(done, ms)),
    retries: 'core',
  }
}

function toSettled<T>(one: PromiseSettledResult<T>): Settled<T> {
  return one.status === 'fulfilled' ? { ok: true, value: one.value } : { ok: false, error: one.reason }
}

async function main(): Promise<void> {
  const service = await startService()
  const tools = mediaTools({ client: service })
  const agent = new Agent({ model: chatModel('planner', service), tools, policy: decentWords })
  for (const wish of ['a cat in 128x128', 'a gun in 128x128', 'a cat in 512x512']) {
    const { toolCalls, artifacts } = await agent.run(`Draw ${wish}.`, { host: moderated })
    for (const { status, content } of toolCalls)
      console.log(wish, '-', status, status === 'ok' ? artifacts.length : content)
  }
  await service.close()
}

main()
