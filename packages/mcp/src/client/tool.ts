import { CapstanError, type JsonSchemaParameters, type ToolContext, tool } from '@capstan/core'
import { isRecord, toJsonText, tryJson } from '@capstan/core/internal'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import { checkedSettings } from '@capstan/schema/tool-settings'
import type {
  CallToolResult,
  ElicitResult,
  InputRequiredResult,
  Progress,
  Tool as ServerTool,
} from '@modelcontextprotocol/client'
import type { Connection } from './connection.js'
import { calling } from './errors.js'
import { answerOpenCall, keepOpen, OpenCall } from './open-calls.js'
import { type CommonOptions, defaultTimeoutMs, type McpTool, type McpToolResult } from './options.js'
import { readInputRequired } from './question.js'
import { type Answered, legOf, QuestionAsked, withQuestions } from './questions.js'
import { callMark } from './related-calls.js'
import { type McpResult, toResult } from './result.js'

export interface ToolConnection {
  readonly connection: Connection
  readonly options: CommonOptions
}

/** The tool's name and parameters for the model, and its result schema. */
interface ExposedTool {
  readonly name: string
  readonly parameters: JsonSchemaParameters
  readonly output: JsonSchemaParameters | undefined
}

/**
 * Converts a server's tool.
 * @throws CapstanError `invalid_tool` for invalid settings
 */
export function toTool(
  serverTool: ServerTool,
  { name, parameters, output }: ExposedTool,
  access: ToolConnection,
): McpTool {
  const { untrusted = true, timeoutMs = defaultTimeoutMs, trustReadOnlyHint, settings } = access.options
  const { name: serverName, title, description = title, annotations, _meta } = serverTool
  const own = settings?.({
    name: serverName,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  })
  const made = tool({
    untrusted,
    timeoutMs,
    ...(trustReadOnlyHint && annotations?.readOnlyHint === true ? { effects: 'read' as const } : {}),
    ...checkedSettings(own, name),
    name,
    description: sanitizeText(description ?? serverName, maxDescription),
    parameters,
    ...(output && checked(output)),
    async execute(args, ctx: ToolContext): Promise<McpToolResult> {
      const result = await call(serverTool, args, { ...access, ctx })
      return output ? structuredOf(result, serverTool) : result
    },
  })
  return withQuestions({ ...made, isDynamic: true })
}

/**
 * Full results, by their structured content. Programs get the structured content only, but the model gets the full
 * result.
 */
const beside = new WeakMap<object, McpResult>()

function checked(output: JsonSchemaParameters) {
  return { output, toModel: (result: unknown) => beside.get(Object(result)) ?? result } as object
}

/**
 * Returns a result's structured content, or parses the text if it contains the structured content as JSON.
 * @throws CapstanError `invalid_response` if there is none
 */
function structuredOf(result: McpResult, { name }: ServerTool): Readonly<Record<string, unknown>> {
  const { structured, ...others } = typeof result === 'string' ? { structured: tryJson(result) } : result
  if (!isRecord(structured)) {
    const message = `"${sanitizeText(name, maxName)}" has an outputSchema, but returned no structuredContent.`
    throw new CapstanError('invalid_response', message)
  }
  if (Object.keys(others).length > 0) beside.set(structured, result)
  return structured
}

const maxDescription = 4096

interface CallScope extends ToolConnection {
  readonly serverTool: ServerTool
  readonly ctx: ToolContext
}

async function call(
  serverTool: ServerTool,
  args: Record<string, unknown>,
  access: ToolConnection & Pick<CallScope, 'ctx'>,
): Promise<McpResult> {
  const { connection, ctx } = access
  const result = await completeResult(args, { ...access, serverTool })
  if (result.isError) throw toolError(result)
  return toResult(result, {
    artifacts: ctx.artifacts,
    read: (uri) =>
      connection.use(
        'reading a linked resource',
        (client) => client.readResource({ uri }, { signal: ctx.signal, cacheMode: 'bypass' }),
        ctx.signal,
      ),
  })
}

/**
 * Makes a call, with answers to its earlier questions. Declines questions that no one can answer.
 * @throws QuestionAsked if the server asks a question and the run can wait for the answer; CapstanError, or the
 * signal's reason
 */
async function completeResult(args: Record<string, unknown>, scope: CallScope): Promise<CallToolResult> {
  const { ctx } = scope
  const { answered } = legOf(ctx) ?? {}
  let open = answered?.isOpen ? openAgain(answered, ctx) : startCall(args, scope, answered)
  for (let rounds = answered?.rounds ?? 0; ; ) {
    open.progress = progressOf(ctx)
    const next = await open.next(ctx.signal)
    if ('question' in next) {
      if (!legOf(ctx)) {
        next.answer(declined)
        continue
      }
      keepOpen(ctx.idempotencyKey, open, next)
      throw new QuestionAsked({ questions: [next.question], isOpen: true })
    }
    const { result } = next
    if (!isInputRequired(result)) return result
    const asked = readInputRequired(result)
    if (rounds >= maxRounds)
      throw new CapstanError(
        'unsupported',
        `The server asked for input more than ${maxRounds} times in one call.`,
      )
    if (asked.questions.length > 0 && legOf(ctx)) throw new QuestionAsked(asked)
    rounds += 1
    const answers = Object.fromEntries(asked.questions.map(({ key }) => [key, declined] as const))
    open = startCall(args, scope, { ...asked, answers })
  }
}

const declined: ElicitResult = { action: 'decline' }
const maxRounds = 10

function isInputRequired(result: CallToolResult | InputRequiredResult): result is InputRequiredResult {
  return result.resultType === 'input_required'
}

/**
 * Passes the user's answer to a call whose request is still open.
 * @throws CapstanError `network` if the process that made the call has ended
 */
function openAgain({ questions, answers }: Answered, { idempotencyKey }: ToolContext): OpenCall {
  const answer = answers[questions[0]?.key ?? ''] ?? declined
  const open = answerOpenCall(idempotencyKey, answer)
  if (open) return open
  throw new CapstanError(
    'network',
    'The connection ended before the server got the answer to its question. The call may have taken effect; check before you repeat it.',
  )
}

function startCall(
  args: Record<string, unknown>,
  { serverTool, connection, options, ctx }: CallScope,
  answered?: Pick<Answered, 'answers' | 'requestState'>,
): OpenCall {
  const { name, inputSchema } = serverTool
  const { answers, requestState } = answered ?? {}
  const meta = options.meta?.(ctx)
  const params = {
    name,
    arguments: args,
    ...(answers && Object.keys(answers).length > 0 ? { inputResponses: answers } : {}),
    ...(requestState === undefined ? {} : { requestState }),
  }
  return new OpenCall((open, signal) =>
    connection.call(
      `${calling}"${sanitizeText(name, maxName)}"`,
      open,
      (client) =>
        client.callTool(
          { ...params, _meta: { ...meta, [callMark]: open.id } },
          {
            signal,
            // The signal aborts at the tool's own deadline.
            timeout: noTimeout,
            allowInputRequired: true,
            onprogress: (progress) => open.progress(progress),
            // Omit the result schema, so that the SDK does not compile a schema from an untrusted server. Results are
            // untrusted anyway.
            toolDefinition: { name, inputSchema },
          },
        ),
      signal,
    ),
  )
}

const maxName = 200
const maxError = 8000
const maxProgress = 1000
const noTimeout = 2 ** 31 - 1

/** Converts a server's error result to an error for the model. Removes the prefix that the run adds itself. */
function toolError({ content, structuredContent }: CallToolResult): CapstanError {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (texts.length === 0 && structuredContent !== undefined) texts.push(toJsonText(structuredContent))
  const text = sanitizeText(texts.join('\n'), maxError).replace(/^Error: /, '')
  return new CapstanError('api', text === '' ? 'The tool failed without a message.' : text)
}

/**
 * Returns a function that reports a server's progress. The number of reports is limited, so that a server cannot report
 * progress forever.
 */
function progressOf(ctx: ToolContext): (progress: Progress) => void {
  let left = maxProgress
  return ({ progress, total, message }) => {
    if (left-- <= 0) return
    const text = message === undefined ? {} : { message: sanitizeText(message, maxName) }
    ctx.progress({ progress, ...(total === undefined ? {} : { total }), ...text })
  }
}
