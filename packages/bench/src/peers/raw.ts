import * as z from 'zod'
import type { BenchTool, Peer, Setup } from '../peer.js'

interface Message {
  role: string
  content?: string | null
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[]
  tool_call_id?: string
}

/** A loop written by hand: built-in fetch, the whole body as JSON in each step, zod for the arguments. */
export const peer: Peer = {
  prepare(setup) {
    const tools = setup.tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: z.toJSONSchema(parameters, { io: 'input' }) },
    }))
    const byName = new Map(setup.tools.map((tool) => [tool.name, tool]))
    return async (prompt) => {
      const messages: Message[] = [
        { role: 'system', content: setup.instructions },
        { role: 'user', content: prompt },
      ]
      for (let step = 0; step < setup.maxSteps; step++) {
        const message = await ask(setup, { model: setup.model, messages, tools, stream: setup.stream })
        messages.push(message)
        if (!message.tool_calls?.length) return message.content ?? ''
        messages.push(...(await Promise.all(message.tool_calls.map((call) => runCall(call, byName)))))
      }
      throw new Error('too many steps')
    }
  },
}

async function runCall(
  { id, function: called }: NonNullable<Message['tool_calls']>[number],
  tools: ReadonlyMap<string, BenchTool>,
): Promise<Message> {
  const tool = tools.get(called.name)
  if (!tool) throw new Error(`no tool ${called.name}`)
  const args = tool.parameters.parse(JSON.parse(called.arguments))
  return { role: 'tool', tool_call_id: id, content: JSON.stringify(await tool.execute(args)) }
}

async function ask({ baseURL, stream }: Setup, body: object): Promise<Message> {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  if (stream && response.body) return readStream(response.body)
  const completion = (await response.json()) as { choices: { message: Message }[] }
  const message = completion.choices[0]?.message
  if (!message) throw new Error('no choice')
  return message
}

interface Chunk {
  choices: {
    delta?: {
      content?: string
      tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[]
    }
  }[]
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<Message> {
  const message: Message = { role: 'assistant', content: '' }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('data: ') || line === 'data: [DONE]') continue
      add((JSON.parse(line.slice(6)) as Chunk).choices[0]?.delta, message)
    }
  }
  return message
}

function add(delta: Chunk['choices'][number]['delta'], message: Message): void {
  if (delta?.content) message.content += delta.content
  for (const { index, id, function: called } of delta?.tool_calls ?? []) {
    message.tool_calls ??= []
    message.tool_calls[index] ??= { id: id ?? '', type: 'function', function: { name: '', arguments: '' } }
    const call = message.tool_calls[index]
    if (called?.name) call.function.name = called.name
    if (called?.arguments) call.function.arguments += called.arguments
  }
}
