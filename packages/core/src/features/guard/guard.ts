import { abortable } from '../../async.js'
import { type Json, tryJson, withoutUndefined } from '../../json.js'
import { toToolName } from '../../model/reply-fields.js'
import { checkOptionNames } from '../../option-names.js'
import type { Middleware, NextRequest, RunView, StepReply, StepRequest } from '../../run/middleware.js'
import { type Allowed, allow, type Denied, type Replacement, replace } from '../../tools/policies.js'
import { errorResult } from '../../tools/rejections.js'
import type { RunningCall } from '../../tools/tool.js'
import {
  type AssistantMessage,
  callsOf,
  type Message,
  textOf,
  type UserMessage,
} from '../../types/message.js'
import { HeldStream } from './held-stream.js'

/** A guard's decision about text: allow it, deny it or replace it. */
export type GuardVerdict = Allowed | Denied | Replacement

/** A judge's return value. Undefined allows the text. */
type Judged = GuardVerdict | undefined | void | Promise<GuardVerdict | undefined | void>

/**
 * Functions that judge the text in a run. If `input` or `reply` throws, the run ends with that error; if `result`
 * throws, the call fails.
 */
export interface GuardOptions<Context = unknown> {
  /** The guard's name, also used in events. Give each guard of an agent a different name. Default `guard`. */
  readonly name?: string
  /**
   * Judges each new user message before the model gets it: the messages at the end of the input, and those that arrive
   * in later steps. A denial ends the run as `refusal` without calling the model. A replacement is used in every later
   * request of the run. Earlier messages in the input are not judged.
   */
  readonly input?: (text: string, run: RunView<Context>) => Judged
  /**
   * Judges the text of each reply. If a reply is denied, the model is told the reason and replies again; a second
   * denial ends the run as `refusal`. If a denied reply also contains tool calls, only its text is removed and the
   * calls run. Streamed text is released sentence by sentence: the judge is called with the text so far, and after a
   * verdict other than `allow`, the rest is held back until the reply is complete. Streamed reasoning is dropped.
   */
  readonly reply?: (text: string, run: RunView<Context>) => Judged
  /**
   * Judges the result or error of a tool's function before the model gets it. A denied call has the status `denied`.
   * Results of agents that are called as tools are not judged.
   */
  readonly result?: (text: string, run: RunView<Context>, call: RunningCall) => Judged
}

/**
 * Judges user messages, replies and tool results of the entire run. A `middleware` event reports each denial and
 * replacement, without the text. List it before middleware that shortens or changes the history. Verdicts on user
 * messages are stored with the reply. After a crash, only the interrupted step is judged again.
 * @throws CapstanError `invalid_request` for an unknown option, or a judge that is not a function
 */
export function guard<Context = unknown>(options: GuardOptions<Context>): Middleware<Context> {
  const judge = 'a function'
  const kinds = { name: 'a string', input: judge, reply: judge, result: judge } as const
  checkOptionNames(options, kinds, {
    of: 'A guard',
    names: { reply: 'output answer' },
  })
  const { name = 'guard', input, reply: judgeReply, result } = options
  const inputs = input && new InputGuard(name, input)
  const wrapModel: Middleware<Context>['wrapModel'] = async (call, next, run) => {
    const read = inputs?.of(run)
    const own = read ? { [name]: read.state } : {}
    if (read?.denied !== undefined) return { message: refusal(read.denied), kept: own }
    const reply = await (judgeReply ? new JudgedReplies(name, judgeReply, run).ask(call, next) : next())
    return read ? { ...reply, kept: { ...reply.kept, ...own } } : reply
  }
  return {
    name,
    wholeRun: true,
    ...(inputs ? { beforeModel: (call, run) => inputs.judge(call, run) } : {}),
    ...(inputs || judgeReply ? { wrapModel } : {}),
    ...(result ? { afterTool: judgeResult(name, result) } : {}),
  }
}

/** Calls a judge. @throws TypeError for an invalid verdict, which must not count as allowed */
async function verdictOn(text: string, judge: () => Judged, signal: AbortSignal): Promise<GuardVerdict> {
  const given: unknown = await abortable(signal, judge())
  const verdict = given === undefined ? allow : (given as GuardVerdict)
  if (verdict?.type === 'allow') return verdict
  if (verdict?.type === 'deny') return { type: 'deny', reason: verdict.reason || 'not allowed' }
  if (verdict?.type === 'replace' && typeof verdict.text === 'string')
    return verdict.text === text ? allow : replace(verdict.text.toWellFormed())
  throw new TypeError('A guard must return verdict.allow, deny, replace or undefined.')
}

/** The kinds of text that a guard judges. */
type Part = 'input' | 'reply' | 'result'

/** Emits an event for a verdict, unless it allows the text. */
function report(
  verdict: GuardVerdict,
  run: Pick<RunView, 'emit'>,
  { name, of, callId }: { readonly name: string; readonly of: Part; readonly callId?: string },
): void {
  if (verdict.type === 'allow') return
  const [action, data]: [string, Json] =
    verdict.type === 'deny' ? ['denied', { of, reason: verdict.reason }] : ['replaced', { of }]
  run.emit(withoutUndefined({ name, action, data, callId }))
}

function refusal(reason: string): AssistantMessage {
  return { role: 'assistant', content: '', refusal: reason }
}

/** The verdicts on user messages, by the message's index in the run. Stored in the run's state. */
type InputState = {
  /** How many of the run's messages have been judged. */
  readonly judged: number
  readonly replaced: { readonly [index: string]: string }
  readonly denied: { readonly [index: string]: string }
}

/** The verdicts that apply to one request. */
interface ReadInput {
  readonly state: InputState
  /** The reason why a new message was denied, which ends the run. */
  readonly denied?: string
}

/** Judges user messages. The guard's state is recorded with each reply, so that no message is judged twice. */
class InputGuard<Context> {
  readonly #name: string
  readonly #judge: NonNullable<GuardOptions<Context>['input']>
  /** The verdicts for each run's current request. */
  readonly #current = new WeakMap<RunView<Context>, ReadInput>()
  /** The replacement for each message, stored so that every request of a run gets the same object. */
  readonly #shown = new WeakMap<Message, { readonly text: string; readonly message: Message }>()

  constructor(name: string, judge: NonNullable<GuardOptions<Context>['input']>) {
    this.#name = name
    this.#judge = judge
  }

  of(run: RunView<Context>): ReadInput | undefined {
    return this.#current.get(run)
  }

  async judge(
    { messages, signal }: StepRequest,
    run: RunView<Context>,
  ): Promise<Partial<StepRequest> | undefined> {
    const read = await this.#read(run, signal)
    this.#current.set(run, read)
    const { replaced, denied } = read.state
    const shown = new Map<Message, Message>()
    for (const [index, reason] of Object.entries(denied))
      this.#show(index, deniedText(reason), { run, shown, isDenied: true })
    for (const [index, text] of Object.entries(replaced))
      this.#show(index, text, { run, shown, isDenied: false })
    if (shown.size === 0) return undefined
    return { messages: messages.map((message) => shown.get(message) ?? message) }
  }

  async #read(run: RunView<Context>, signal: AbortSignal): Promise<ReadInput> {
    const before = run.kept[this.#name] as InputState | undefined
    const { judged, replaced, denied } = before ?? { judged: firstNew(run), replaced: {}, denied: {} }
    const state = { judged: run.messages.length, replaced: { ...replaced }, denied: { ...denied } }
    let reason: string | undefined
    for (const [index, { role, content }] of run.messages.entries()) {
      const text = textOf(content)
      if (index < judged || role !== 'user' || text.trim() === '') continue
      const verdict = await verdictOn(text, () => this.#judge(text, run), signal)
      report(verdict, run, { name: this.#name, of: 'input' })
      if (verdict.type === 'replace') state.replaced[index] = verdict.text
      if (verdict.type !== 'deny') continue
      state.denied[index] = verdict.reason
      reason ??= verdict.reason
    }
    return withoutUndefined({ state, denied: reason })
  }

  #show(index: string, text: string, { run, shown, isDenied }: Shown<Context>): void {
    const message = run.messages[Number(index)]
    if (message?.role !== 'user') return
    const known = this.#shown.get(message)
    const made = known?.text === text ? known.message : withText(message, text, isDenied)
    this.#shown.set(message, { text, message: made })
    shown.set(message, made)
  }
}

/** Where a replaced message is recorded, and whether it was denied. */
interface Shown<Context> {
  readonly run: RunView<Context>
  readonly shown: Map<Message, Message>
  readonly isDenied: boolean
}

/** Returns the index of the first message after the last reply in the run's input. */
function firstNew({ messages, task }: RunView): number {
  return messages.slice(0, task + 1).findLastIndex(({ role }) => role === 'assistant') + 1
}

/** Text for the model, in place of a denied message when the run resumes. */
function deniedText(reason: string): string {
  return `[Message removed: ${reason}]`
}

/** Returns the message with its text replaced. A denied message also loses its files. */
function withText({ content, media, ...given }: UserMessage, text: string, isDenied: boolean): UserMessage {
  const message = media && !isDenied ? { ...given, media } : given
  if (typeof content === 'string') return { ...message, content: text }
  const others = content.filter((part) => typeof part.text !== 'string')
  return { ...message, content: [{ type: 'text', text }, ...others] }
}

/** A reply with the guard's verdict. */
interface Attempt {
  /** The reply, with replacements and without denied text. */
  readonly reply: StepReply
  /** Set if the reply was denied: the reason, and the text that the model wrote. */
  readonly denied?: { readonly reason: string; readonly text: string }
  readonly stream: HeldStream | undefined
}

/** Judges the replies to one request. */
class JudgedReplies<Context> {
  readonly #name: string
  readonly #run: RunView<Context>
  readonly #judge: (text: string, signal: AbortSignal) => Promise<GuardVerdict>

  constructor(name: string, judge: NonNullable<GuardOptions<Context>['reply']>, run: RunView<Context>) {
    this.#name = name
    this.#run = run
    this.#judge = (text, signal) => verdictOn(text, () => judge(text, run), signal)
  }

  /** Sends the request, and once more after a denial. Discards denied replies. */
  async ask(call: StepRequest, next: NextRequest): Promise<StepReply> {
    const first = await this.#askOnce(call, next)
    if (!first.denied) return this.#release(first)
    const { text, reason } = first.denied
    first.stream?.void()
    // If a limit has stopped the run, the request cannot be sent again.
    if (call.isFinal) return { ...first.reply, message: refusal(reason) }
    const told: readonly Message[] = [
      ...call.messages,
      { role: 'assistant', content: text },
      {
        role: 'user',
        content: `Your reply was not allowed: ${reason}\nReply again without it.`,
      },
    ]
    const second = await this.#askOnce(call, (changes) => next({ ...changes, messages: told }))
    if (!second.denied) return this.#release(second)
    second.stream?.void()
    return { ...second.reply, message: refusal(second.denied.reason) }
  }

  async #askOnce(call: StepRequest, next: NextRequest): Promise<Attempt> {
    const { sink, signal } = call
    const isAnswer = isAnswerOf(call)
    const judge = async (text: string) => (await this.#judge(text, signal)).type === 'allow'
    const stream = sink && call.stream ? new HeldStream(sink, { judge, isAnswer }) : undefined
    const reply = await next(stream ? { sink: stream.sink } : {}).catch((error: unknown) => {
      stream?.close()
      throw error
    })
    const allowed = await abortable(signal, stream?.settled())
    return { ...(await this.#judgeReply(reply, { signal, isAnswer, allowed })), stream }
  }

  async #judgeReply(
    reply: StepReply,
    { signal, isAnswer, allowed }: Judging,
  ): Promise<Omit<Attempt, 'stream'>> {
    const { message } = reply
    const text = textOf(message.content)
    const calls = callsOf(message)
    const judged = async (part: string) => {
      if (part.trim() === '' || part === allowed) return allow
      const verdict = await this.#judge(part, signal)
      report(verdict, this.#run, { name: this.#name, of: 'reply' })
      return verdict
    }
    const verdict = await judged(text)
    const isAlone = calls.length === 0 && !message.refusal
    if (verdict.type === 'deny' && isAlone) return { reply, denied: { reason: verdict.reason, text } }
    const kept = verdict.type === 'allow' ? text : verdict.type === 'replace' ? verdict.text : ''
    let isChanged = kept !== text
    const keptCalls: (typeof calls)[number][] = []
    for (const call of calls) {
      const { name, arguments: args } = call.function
      const onCall = isAnswer(name) ? await judged(args) : allow
      if (onCall.type === 'deny') return { reply, denied: { reason: onCall.reason, text: args } }
      isChanged ||= onCall.type === 'replace'
      keptCalls.push(onCall.type === 'allow' ? call : { ...call, function: { name, arguments: onCall.text } })
    }
    return { reply: isChanged ? { ...reply, message: rewritten(message, kept, keptCalls) } : reply }
  }

  #release({ reply, stream }: Attempt): StepReply {
    stream?.release(reply.message)
    return reply
  }
}

interface Judging {
  readonly signal: AbortSignal
  /** Whether a call to this tool is the run's structured answer. */
  isAnswer(name: string): boolean
  /** The streamed text that has already been allowed. */
  readonly allowed: string | undefined
}

/** Returns a function that tells whether a call to a tool is the final answer of a run with an output schema. */
function isAnswerOf(call: StepRequest): (name: string) => boolean {
  const { toolset } = call
  const isTool = (name: string) => toolset.get(name) !== undefined
  return (name) => toolset.get(toToolName(name, isTool) ?? '')?.endsRun === true
}

/** Returns the reply with its text replaced, without fields that may contain the old text, such as reasoning. */
function rewritten(
  { refusal: refused }: AssistantMessage,
  text: string,
  calls: AssistantMessage['tool_calls'] = [],
): AssistantMessage {
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(refused && { refusal: refused }),
  }
}

/** Creates the hook that judges tool results. The original of a denied or replaced result is not kept. */
function judgeResult<Context>(
  name: string,
  judge: NonNullable<GuardOptions<Context>['result']>,
): NonNullable<Middleware<Context>['afterTool']> {
  return async (given, call, run) => {
    const { tool, signal, callId } = call
    // The final answer is judged as a reply, and the text of a call that was stopped comes from Capstan.
    if (tool.endsRun || given.status === 'not_run' || given.status === 'cut_off') return given
    const verdict = await verdictOn(given.content, () => judge(given.content, run, call), signal)
    report(verdict, run, { name, of: 'result', callId })
    if (verdict.type === 'allow') return given
    const { result, artifacts = [], whole: _, ...facts } = given
    if (verdict.type === 'deny') {
      const denied = errorResult('denied', `the call ran, but its result was withheld: ${verdict.reason}`)
      return { ...facts, ...denied, ms: given.ms }
    }
    const { text } = verdict
    const named = artifacts.filter(({ id }) => text.includes(id))
    // If the tool returned an object, the replacement is parsed as one.
    const value = typeof result === 'string' ? text : ((tryJson(text) as Json | undefined) ?? text)
    return {
      ...facts,
      content: text,
      artifacts: named,
      ...(result !== undefined && { result: value }),
    }
  }
}
