import OpenAI from 'openai'
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions'
import * as z from 'zod'
import type { BenchTool, Peer } from '../peer.js'

type ChatRequest = Omit<ChatCompletionCreateParamsNonStreaming, 'stream'>

/** A loop written by hand with OpenAI's SDK. */
export const peer: Peer = {
  prepare({ baseURL, model, instructions, maxSteps, stream, tools: own }) {
    const client = new OpenAI({ baseURL, apiKey: 'none' })
    const byName = new Map(own.map((tool) => [tool.name, tool]))
    const tools = own.map(toTool)
    const ask = stream ? askStreamed : askWhole
    return async (prompt) => {
      const messages: ChatCompletionMessageParam[] = [
        { role: 'system', content: instructions },
        { role: 'user', content: prompt },
      ]
      for (let step = 0; step < maxSteps; step++) {
        const message = await ask(client, { model, messages, tools })
        messages.push(message)
        if (!message.tool_calls?.length) return typeof message.content === 'string' ? message.content : ''
        messages.push(...(await Promise.all(message.tool_calls.map((call) => runCall(call, byName)))))
      }
      throw new Error('too many steps')
    }
  },
}

function toTool({ name, description, parameters }: BenchTool): ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: { name, description, parameters: z.toJSONSchema(parameters, { io: 'input' }) },
  }
}

async function runCall(
  call: ChatCompletionMessageToolCall,
  tools: ReadonlyMap<string, BenchTool>,
): Promise<ChatCompletionToolMessageParam> {
  const tool = call.type === 'function' ? tools.get(call.function.name) : undefined
  if (call.type !== 'function' || !tool) throw new Error(`no tool for ${call.id}`)
  const args = tool.parameters.parse(JSON.parse(call.function.arguments))
  return { role: 'tool', tool_call_id: call.id, content: JSON.stringify(await tool.execute(args)) }
}

async function askWhole(client: OpenAI, request: ChatRequest): Promise<ChatCompletionAssistantMessageParam> {
  const { choices } = await client.chat.completions.create(request)
  if (!choices[0]) throw new Error('no choice')
  return choices[0].message
}

async function askStreamed(
  client: OpenAI,
  request: ChatRequest,
): Promise<ChatCompletionAssistantMessageParam> {
  let content = ''
  const calls: ChatCompletionMessageFunctionToolCall[] = []
  for await (const { choices } of await client.chat.completions.create({ ...request, stream: true })) {
    const delta = choices[0]?.delta
    if (delta?.content) content += delta.content
    for (const piece of delta?.tool_calls ?? []) add(piece, calls)
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }
}

function add(
  { index, id = '', function: called }: ChatCompletionChunk.Choice.Delta.ToolCall,
  calls: ChatCompletionMessageFunctionToolCall[],
): void {
  calls[index] ??= { id, type: 'function', function: { name: '', arguments: '' } }
  const call = calls[index].function
  if (called?.name) call.name = called.name
  if (called?.arguments) call.arguments += called.arguments
}
