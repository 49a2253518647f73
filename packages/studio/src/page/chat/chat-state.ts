import { signal } from '@preact/signals'
import type { RunSummary, StartRun } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import { attempt, tell, viewOf } from '../api/state.js'
import { type Input, inputOf } from '../model/messages.js'
import { go, route, toAddress } from '../shell/route.js'

/** The action after the file is saved. */
export type OnSave = 'nothing' | 'ask' | 'check'
export const onSave = signal<OnSave>('nothing')

/** The chat's settings, as typed. They apply to the next message. */
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

/** Returns the input of a run: from this page, or from the run's first state. */
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

/** Starts a run and shows it. Returns its id; undefined if it could not be started. */
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
  else tell('The input of this run is not on disk.', true)
}

/** Compares the last run with its recording, without model requests. */
export async function checkAgain(run: RunSummary): Promise<void> {
  try {
    const answer = await api.check(run.id)
    if (answer.same) tell('Same as the recording.')
    else tell(`Differs from the recording at ${answer.at}. ${answer.message}`, true)
  } catch (error) {
    tell(messageOf(error), true)
  }
}

/** @throws SyntaxError naming the field if a field is not valid JSON */
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

/** Returns the problem in text that must be a JSON object. Undefined if there is none. */
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
