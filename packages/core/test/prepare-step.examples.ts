// Code of docs/guides/prepare-step.md; `prepare-step.examples.test.ts` runs it.
import { Agent, type AnyTool, type ChatModel } from '../src/index.js'

interface Given {
  readonly model: ChatModel
  readonly strong: ChatModel
  readonly tools: readonly AnyTool[]
}

export function firstSearch({ model, tools }: Given) {
  // #region tools
  const agent = new Agent({
    model,
    tools,
    prepareStep: ({ step }) => (step === 0 ? { tools: ['search'], toolChoice: 'required' } : undefined),
  })
  // #endregion
  return agent
}

export function afterFailures({ model, strong, tools }: Given) {
  // #region model
  const agent = new Agent({
    model,
    tools,
    prepareStep: ({ toolCalls }) =>
      toolCalls.some(({ status }) => status === 'error') ? { model: strong } : undefined,
  })
  // #endregion
  return agent
}

export function shortAnswers({ model, tools }: Given) {
  // #region instructions
  const agent = new Agent({
    model,
    tools,
    prepareStep: ({ messages }) =>
      messages.length > 20
        ? { instructions: 'Answer in one sentence.', settings: { maxTokens: 200 } }
        : undefined,
  })
  // #endregion
  return agent
}
