import { denial } from '../answer/refusals.js'
import { renderOutput } from '../answer/render-output.js'
import type { Toolset } from '../tool/toolset.js'
import { validate } from '../tool/validate.js'
import { type Artifact, isArtifact } from '../words/artifact.js'
import { CapstanError, messageOf } from '../words/error.js'
import { orAborted } from '../words/or-aborted.js'
import type { Answer, Decision, Decisions, PendingCall } from '../words/state.js'
import type { RunPlan } from './walk.js'

/**
 * Refuses decisions that cannot be carried out, before anything runs.
 * @throws CapstanError `invalid_request`; `invalid_arguments` for edited arguments that do not fit the tool
 */
export async function checkDecisions(
  decisions: Decisions,
  pending: readonly PendingCall[],
  toolsetOf: (call: PendingCall) => Toolset,
): Promise<void> {
  for (const [callId, decision] of Object.entries(decisions)) {
    const call = pending.find((one) => one.callId === callId)
    if (!call) throw unknownCall(callId, pending)
    await checkDecision(call, decision, toolsetOf(call))
  }
}

/** The same for one call. */
export async function checkDecision(call: PendingCall, decision: Decision, toolset: Toolset): Promise<void> {
  const { callId, name, kind } = call
  const { type } = Object(decision) as Partial<Decision>
  const wrong = (why: string) =>
    new CapstanError('invalid_request', `The decision on "${callId}" (${name}) ${why}`, {
      evidence: { callId },
    })
  if (type !== 'approve' && type !== 'deny' && type !== 'result')
    throw wrong(`has no type that is known. Use approve, deny or result.`)
  if (type === 'approve' && kind === 'result')
    throw wrong('is to approve it, but the tool has no function: give its result, { type: "result", value }.')
  if (decision.type === 'deny' && typeof decision.reason !== 'string')
    throw wrong('needs a reason: the model is told it.')
  if (decision.type === 'result') checkResult(decision.value, wrong)
  if (decision.type === 'approve' && decision.arguments) {
    const tool = toolset.get(name)
    const checked = tool && (await validate(tool.parameters, decision.arguments))
    if (checked && !checked.ok) {
      const message = `The edited arguments for "${callId}" (${name}) do not fit: ${checked.issues.join('; ')}.`
      throw new CapstanError('invalid_arguments', message, { evidence: { callId, issues: checked.issues } })
    }
  }
}

function checkResult(value: unknown, wrong: (why: string) => CapstanError): void {
  try {
    renderOutput(value)
  } catch (error) {
    throw wrong(`has a value that cannot be written: ${messageOf(error)}`)
  }
}

/**
 * The answer that a decision is; undefined for an approval, which the call's function answers. An artifact in a result
 * counts as one if the run's store has it, with the same content. Everything else of that form is data.
 */
export async function toAnswer(
  decision: Decision,
  { artifacts: store, signal }: Pick<RunPlan, 'artifacts' | 'signal'>,
): Promise<Answer | undefined> {
  if (decision.type === 'approve') return undefined
  if (decision.type === 'deny') return denial(decision.reason)
  const given = new Map<string, Artifact>()
  for (const { id, sha256 } of artifactsIn(decision.value)) {
    // A store that fails must not end a run whose call is answered.
    const artifact = await orAborted(signal, store.stat(id)).catch(() => undefined)
    if (artifact?.sha256 === sha256) given.set(id, artifact)
  }
  const { content, result, artifacts } = renderOutput(decision.value, given)
  return { status: 'ok', content, ...(result === undefined ? {} : { result }), artifacts, ms: 0 }
}

function artifactsIn(value: unknown): readonly Artifact[] {
  const { result } = renderOutput(value)
  const found = new Map<string, Artifact>()
  JSON.stringify(result, (_key, part) => {
    if (isArtifact(part)) found.set(part.id, part)
    return part
  })
  return [...found.values()]
}

function unknownCall(callId: string, pending: readonly PendingCall[]): CapstanError {
  const ids = pending.map((call) => `"${call.callId}" (${call.name})`)
  const which = ids.length === 0 ? 'No call is pending.' : `Pending are: ${ids.join(', ')}.`
  return new CapstanError(
    'invalid_request',
    `There is a decision on "${callId}", which does not wait for one. ${which}`,
    {
      evidence: { callId },
    },
  )
}
