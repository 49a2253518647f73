// A model on your own machine: pass its URL and its window. Here the server is the local service, which follows rules.
import '../local-service.js'
import { Agent, chatModel } from '@capstan/core'
import { weather } from '../tools.js'

// #region program
const { OPENAI_BASE_URL: baseURL = '', OPENAI_API_KEY: apiKey = '' } = process.env
const model = chatModel('planner', { baseURL, apiKey, contextTokens: 32_768 })

const agent = new Agent({ model, tools: [weather] })
const { text, toolCalls, warnings = [] } = await agent.run('What is the weather in Oslo?')
for (const { name, status } of toolCalls) console.log(name, status)
console.log(text)
console.log(warnings.length, 'warnings')
// #endregion

// #region models
export const models = {
  ollama: chatModel('qwen3:8b', { baseURL: 'http://127.0.0.1:11434/v1', apiKey: '' }),
  llamaCpp: chatModel('model', { baseURL: 'http://127.0.0.1:8080/v1', apiKey: '' }),
  lmStudio: chatModel('qwen3-8b', { baseURL: 'http://127.0.0.1:1234/v1', apiKey: '' }),
  vllm: chatModel('Qwen/Qwen3-8B', { baseURL: 'http://127.0.0.1:8000/v1', apiKey: '' }),
}
// #endregion
