import type { Middleware, RunView, StepEffects, StepReply } from '../../run/middleware.js'

const name = 'text-calls'

/**
 * Reacts to calls that a model wrote as text and that did not run (`textCalls: 'report'`): tells the model of each agent
 * once how calls are made, and asks again. If it writes them again, the run ends with that text, `incomplete` and with a
 * warning. On by default.
 */
export function textCalls(): Middleware {
  return {
    name,
    afterReply(reply, run): StepEffects | undefined {
      if (asksForCalls(reply, run)) {
        const messages = [{ role: 'user' as const, content: howToCall }]
        return { state: [...toldAgents(run), run.agent], messages, continue: true }
      }
      if (!isCallAsText(reply)) return undefined
      const names = [...new Set(reply.textCalls?.names)].map((one) => `"${one}"`).join(', ')
      const warning =
        `The model wrote calls of ${names} as text, and nothing ran. ${reply.textCalls?.hint ?? ''}`.trim()
      // A run with an output schema asks on by itself.
      return reply.output ? { warning } : { warning, incomplete: true }
    },
  }
}

/** Whether the model is told how calls are made, and asked again: after the first calls as text of its agent. */
function asksForCalls(reply: StepReply, run: Pick<RunView, 'agent' | 'kept'>): boolean {
  return isCallAsText(reply) && !toldAgents(run).includes(run.agent)
}

/** Whether a reply is calls as text that did not run. A text that is the output of the run counts as that alone. */
function isCallAsText({ textCalls, output }: StepReply): boolean {
  return textCalls?.recovered === false && !(output && 'value' in output)
}

function toldAgents({ kept }: Pick<RunView, 'kept'>): readonly string[] {
  return (kept[name] as readonly string[] | undefined) ?? []
}

const howToCall =
  'Nothing was run: your last message contains tool calls as text. Make them through the tool interface instead.'
