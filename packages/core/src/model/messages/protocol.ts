import { withoutOwnField } from '../../features/request-forms.js'
import { listOf } from '../../json.js'
import type { ModelRequest } from '../../types/model.js'
import type { Protocol } from '../protocol.js'
import type { ServerForm } from '../request-body.js'
import { MessagesReplyBuilder } from './reply.js'
import { toMessagesBody } from './request.js'

/** The address without a `baseURL`. */
export const home = 'https://api.anthropic.com/v1'

/** `/messages`, Anthropic's interface. `cache` is the option of that name. */
export function createProtocol(cache: boolean | undefined): Protocol {
  return {
    of: 'messagesModel',
    path: '/messages',
    home,
    variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'],
    toKeyHeaders: (apiKey) => ({
      'anthropic-version': '2023-06-01',
      ...(apiKey === '' ? {} : { 'x-api-key': apiKey }),
    }),
    toBody: (model, request, form) =>
      toMessagesBody(model, request, { form, isCached: cache ?? isRepeated(request, form) }),
    adaptations: [withoutOwnField('message_blocks', refusesBlocks)],
    createBuilder: (builderOptions) => new MessagesReplyBuilder(builderOptions),
  }
}

/** Whether another request is likely to repeat this one, to a server whose prices are known. */
function isRepeated(request: ModelRequest, { server = '' }: ServerForm): boolean {
  if (!isAnthropic(server.split('/', 1)[0] ?? '') || hasMarks(request)) return false
  const { messages, tools, toolChoice } = request
  const isLast = tools.length === 0 || toolChoice === 'none'
  return !isLast || messages.some(({ role }) => role === 'assistant')
}

/** Whether the user set marks, of which a request may have only four. */
function hasMarks({ messages, settings, hostedTools = [] }: ModelRequest): boolean {
  const parts = messages.flatMap(({ role, content }) => (role === 'user' ? listOf(content) : []))
  return [settings, ...parts, ...hostedTools].some((one) => Object(one).cache_control !== undefined)
}

/** Whether a host is the one whose prices and features are known. */
export function isAnthropic(host: string): boolean {
  return host === 'api.anthropic.com'
}

/** For a server that does not take its own blocks back: it cannot verify thinking, or misses a result of its tools. */
const refusesBlocks =
  /invalid .?signature|signature: field required|thinking.? blocks? .*cannot be modified|found without a corresponding .?\w+_tool_result/i
