import Anthropic from '@anthropic-ai/sdk'
import type {
  Message,
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlock,
} from '@anthropic-ai/sdk/resources/messages'
import type { WireClient, WireQuestion, WireReport, WireTool } from '../wire-client.js'

/** Another client: `messages.create` and `messages.stream` of the `@anthropic-ai/sdk` package, in a loop. */
export const client: WireClient = {
  name: '@anthropic-ai/sdk',
  async run(question) {
    const { baseURL, apiKey, maxRetries, text, tools } = question
    const { messages } = new Anthropic({ baseURL: baseURL.replace(/\/v1$/, ''), apiKey, maxRetries })
    const history: MessageParam[] = [{ role: 'user', content: text }]
    for (let turn = 0; ; turn++) {
      const reply = await ask(messages, question, history)
      const calls = reply.content.filter((block) => block.type === 'tool_use')
      if (calls.length === 0 || turn === 5) return toReport(reply)
      history.push({ role: 'assistant', content: reply.content as MessageParam['content'] })
      history.push({ role: 'user', content: calls.map((one) => answer(one, tools)) })
    }
  },
}

function ask(
  messages: Anthropic.Messages,
  { model, tools, stream, signal }: WireQuestion,
  history: readonly MessageParam[],
): Promise<Message> {
  const body = { model, max_tokens: 1024, messages: [...history], tools: tools.map(toTool) }
  return stream ? messages.stream(body, { signal }).finalMessage() : messages.create(body, { signal })
}

function toTool({ name, description, parameters }: WireTool) {
  return { name, description, input_schema: { type: 'object' as const, ...parameters } }
}

function answer({ id, name, input }: ToolUseBlock, tools: readonly WireTool[]): ToolResultBlockParam {
  const tool = tools.find((one) => one.name === name)
  const content = tool ? tool.execute(input) : `There is no tool ${name}.`
  return { type: 'tool_result', tool_use_id: id, content }
}

function toReport({ content, stop_reason, stop_details }: Message): WireReport {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return {
    text,
    refusal: stop_reason === 'refusal' ? (stop_details?.explanation ?? text) : undefined,
    incomplete: stop_reason === 'max_tokens' || stop_reason === 'model_context_window_exceeded',
  }
}
