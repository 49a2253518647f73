import { createServer } from 'node:http'
import { Agent, chatModel, fallback, fitWindow, tool, prefix, memorySessions, guard, verdict, trimHistory, summarizeHistory, clearResults, compactHistory, without } from '@capstan/core'
import * as z from 'zod'
type Req = { body: any; tokens: number; url: string }
export async function serve(answer: (r: Req, n: number) => [number, any] | string | { calls: [string, any][] }) {
  const seen: Req[] = []
  const server = createServer(async (q, s) => {
    let t = ''; for await (const c of q) t += c
    const r = { body: JSON.parse(t), tokens: Math.ceil(t.length / 4), url: q.url! }
    seen.push(r)
    const a = answer(r, seen.length - 1)
    s.setHeader('content-type', 'application/json')
    if (Array.isArray(a)) { s.statusCode = a[0]; s.end(JSON.stringify(a[1])); return }
    const message = typeof a === 'string' ? { role: 'assistant', content: a } : { role: 'assistant', content: null, tool_calls: a.calls.map(([name, args], i) => ({ id: `c${seen.length}_${i}`, type: 'function', function: { name, arguments: JSON.stringify(args) } })) }
    s.end(JSON.stringify({ choices: [{ message, finish_reason: typeof a === 'string' ? 'stop' : 'tool_calls' }], usage: { prompt_tokens: r.tokens, completion_tokens: 10, total_tokens: r.tokens + 10 } }))
  })
  await new Promise<void>((r) => server.listen(0, '127.0.0.1', r))
  const baseURL = `http://127.0.0.1:${(server.address() as any).port}/v1`
  return { baseURL, seen, close: () => { server.closeAllConnections(); server.close() } }
}
const read = (bytes: number) => tool({ name: 'read', description: 'Reads', parameters: z.object({ page: z.number() }), execute: ({ page }) => `Page ${page} ${'word '.repeat(bytes / 5)}` })
const refusal = (w: number, t: number) => ({ error: { message: `This model's maximum context length is ${w} tokens. However, your messages resulted in ${t} tokens.`, type: 'invalid_request_error', code: 'context_length_exceeded' } })
// sent once with default retries, status 500 and 429
for (const status of [400, 500, 503, 429, 413]) {
  const s = await serve(() => [status, refusal(4096, 5000)])
  const e: any = await new Agent({ model: chatModel('m', { baseURL: s.baseURL, apiKey: 'k' }), onContextLost: 'stop' }).run('hi').catch((x) => x)
  console.log('status', status, e.code, 'sent', s.seen.length, JSON.stringify(e.evidence?.contextTokens), e.retryable)
  s.close()
}
// fallback
{
  const s = await serve((r) => (r.body.model === 'small' ? [400, refusal(4096, 5000)] : 'Fine.'))
  const one = (n: string) => chatModel(n, { baseURL: s.baseURL, apiKey: 'k' })
  const r: any = await new Agent({ model: fallback([one('small'), one('large')]) }).run('hi').catch((x) => x)
  console.log('fallback', r.code ?? r.text, s.seen.map((x) => x.body.model))
  s.close()
}
// default: 40 steps refused at 20000, resumed in another process
{
  const s = await serve((r, n) => (r.tokens > 20000 ? [400, refusal(20000, r.tokens)] : { calls: [['read', { page: n }]] }))
  const make = () => new Agent({ model: chatModel('m', { baseURL: s.baseURL, apiKey: 'k' }), tools: [read(6000)], limits: { steps: 16 } })
  const a = await make().run('Read.')
  const n = s.seen.filter((x) => x.tokens > 20000).length
  const b = await make().run(JSON.parse(JSON.stringify(a.state)), { limits: { steps: 20 } })
  console.log('default resume: refusals', n, s.seen.filter((x) => x.tokens > 20000).length, JSON.stringify(Object.keys(a.state.kept)), b.stopReason)
  s.close()
}
// max_tokens counted by the server
{
  const s = await serve((r, n) => (r.tokens + (r.body.max_tokens ?? 0) > 8000 ? [400, refusal(8000, r.tokens)] : n < 30 ? { calls: [['read', { page: n }]] } : 'Done.'))
  for (const mw of [[], [fitWindow()], [trimHistory()]]) {
    const before = s.seen.length
    const r: any = await new Agent({ model: chatModel('m', { baseURL: s.baseURL, apiKey: 'k', contextTokens: 8000 }), tools: [read(3000)], settings: { max_tokens: 4000 }, limits: { steps: 20 }, middleware: mw }).run('Read.').catch((x) => x)
    console.log('max_tokens', mw.map((m) => m.name), r.code ?? r.stopReason, 'refused', s.seen.slice(before).filter((x) => x.tokens + x.body.max_tokens > 8000).length, 'of', s.seen.length - before)
  }
  s.close()
}
// evidence.tried
{
  const s = await serve((r, n) => (n < 6 ? { calls: [['read', { page: n }]] } : [400, refusal(3000, r.tokens)]))
  const r: any = await new Agent({ model: chatModel('m', { baseURL: s.baseURL, apiKey: 'k' }), tools: [read(3000)], limits: { steps: 20 } }).run('Read.').catch((x) => x)
  console.log('tried', r.code, JSON.stringify(Object.keys(r.evidence ?? {})), r.evidence?.tried, r.state?.messages.length, s.seen.slice(6).map((x) => x.tokens))
  s.close()
}
// guard across a session
{
  const s = await serve(() => 'Ok.')
  const store = memorySessions()
  const agent = new Agent({ model: chatModel('m', { baseURL: s.baseURL, apiKey: 'k' }), middleware: [guard({ input: (t) => (t.includes('SECRET') ? verdict.replace(t.replace('SECRET', '***')) : verdict.allow) })] })
  await agent.run('My word is SECRET.', { session: { store, id: 'a' } })
  await agent.run('And now?', { session: { store, id: 'a' } })
  console.log('guard', s.seen.map((x) => x.body.messages[0].content))
  s.close()
}
