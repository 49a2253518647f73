import { signal } from '@preact/signals'
import type { RunSummary, StartRun } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import { attempt, tell, viewOf } from '../api/state.js'
import { type Input, inputOf } from '../model/messages.js'
import { go, route, toAddress } from '../shell/route.js'

/**
 * What to do when the agent's file has been saved: nothing, rerun the last message, or check the run against its
 * recording.
 */
export type OnSave = 'nothing' | 'ask' | 'check'
export const onSave = signal<OnSave>('nothing')

/** The chat's settings, as the user typed them. They apply from the next message on. Empty settings have no effect. */
export interface ChatSettings {
  readonly model: string
  readonly settings: string
  readonly limits: string
  readonly instructions: string
  readonly asksBeforeEffects: boolean
}
export const noSettings: ChatSettings = {
  model: '',
  settings: '',
  limits: '',
  instructions: '',
  asksBeforeEffects: false,
}
export const chatSettings = signal<ChatSettings>(noSettings)

const inputs = new Map<string, Input>()

/** Returns the message that started a run. Undefined if neither this page nor the run's first state contains it. */
export async function readInput(run: string): Promise<Input | undefined> {
  const known = inputs.get(run)
  if (known) return known
  const input = await api.state(run, 0).then(
    ({ messages }) => inputOf(messages),
    () => undefined,
  )
  if (input) inputs.set(run, input)
  return input
}

/**
 * Starts a run and shows it in the chat. Returns the run's id. If an error occurs, shows it to the user and returns
 * undefined.
 */
export async function ask(agent: string, input: Input, after?: string): Promise<string | undefined> {
  const started = await attempt(async () =>
    api.startRun({
      agent,
      input: input.text,
      ...(input.attachments.length > 0 && { attachments: input.attachments }),
      ...(after !== undefined && { after }),
      ...toOptions(chatSettings.value),
    }),
  )
  if (!started) return undefined
  inputs.set(started.id, input)
  void viewOf(started.id).load()
  go(toAddress(['chat', started.id], { agent: route.value.query['agent'] }))
  return started.id
}

/** Sends the last message of a conversation again, with the current version of the file. */
export async function askAgain(run: RunSummary): Promise<void> {
  const input = await readInput(run.id)
  if (input) await ask(run.agent, input, run.after)
  else tell("This run's input is not on disk.", true)
}

/**
 * Repeats a run with its recorded replies, without requests to a model, and shows whether the run still behaves the
 * same.
 */
export async function checkAgain(run: RunSummary): Promise<void> {
  try {
    const answer = await api.check(run.id)
    if (answer.same) tell('Same as the recording.')
    else tell(`Differs from the recording at ${answer.at}. ${answer.message}`, true)
  } catch (error) {
    tell(messageOf(error), true)
  }
}

/** Converts the settings to run options. @throws SyntaxError that names the field if a field is not a JSON object */
function toOptions(chosen: ChatSettings): Partial<StartRun> {
  const settings = parse('The request settings', chosen.settings)
  const limits = parse('The limits', chosen.limits)
  return {
    ...(chosen.model !== '' && { model: chosen.model }),
    ...(settings && { settings }),
    ...(limits && { limits }),
    ...(chosen.instructions !== '' && { instructions: chosen.instructions }),
    ...(chosen.asksBeforeEffects && { effects: 'ask' as const }),
  }
}

function parse(name: string, text: string): Record<string, never> | undefined {
  if (text.trim() === '') return undefined
  const problem = problemOfJson(text)
  if (problem) throw new SyntaxError(`${name} are not valid: ${problem}`)
  return JSON.parse(text)
}

/** Returns the reason why text is not a JSON object. Undefined if it is one. */
export function problemOfJson(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Write a JSON object: {"name": value}.'
  } catch (error) {
    return messageOf(error)
  }
}
