// Moderation of media calls: a policy checks the arguments before a request is sent, and a host checks the image before
// the model gets it.
import '../local-service.js'
import { Agent, type CallResult, type CreateHost, type Policy, type Settled, verdict } from '@capstan/core'
import { mediaTools } from '@capstan/media'

/** Before the call. Replace it by your check of texts. */
const decentWords: Policy = ({ arguments: given }) =>
  /\b(gun|blood)\b/i.test(JSON.stringify(given))
    ? verdict.deny('Weapons and blood are not drawn here.')
    : verdict.allow

/** After the call. Replace it by your check of images, which may read their bytes from the store of the run. */
const isDecent = async (picture: ReadableStream<Uint8Array>): Promise<boolean> => {
  const { byteLength } = await new Response(picture as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()
  return byteLength < 40_000
}

const moderated: CreateHost = ({ runId, signal, artifacts }) => {
  const step: ReturnType<CreateHost>['step'] = async (one) => {
    if (!('run' in one)) throw new Error('This host runs no agents within agents.')
    const value = await one.run({ idempotencyKey: `${runId}/${one.key}`, signal })
    if (one.options?.kind !== 'tool') return value
    // The value of a tool's step is the result that the model would get. Spending still counts.
    const { result, artifacts: made = [], ...answer } = value as CallResult
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

const agent = new Agent({ model: 'planner', tools: mediaTools(), policy: decentWords })
for (const wish of ['a cat in 128x128', 'a gun in 128x128', 'a cat in 512x512']) {
  const { toolCalls, artifacts } = await agent.run(`Draw ${wish}.`, { host: moderated })
  for (const { status, content } of toolCalls)
    console.log(wish, '-', status, status === 'ok' ? artifacts.length : content)
}
