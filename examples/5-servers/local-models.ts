// Models of local servers: an address each. An empty key means that the server needs none.
import { chatModel } from '@capstan/core'

// #region models
export const models = {
  ollama: chatModel('qwen3:8b', { baseURL: 'http://127.0.0.1:11434/v1', apiKey: '' }),
  llamaCpp: chatModel('model', { baseURL: 'http://127.0.0.1:8080/v1', apiKey: '' }),
  lmStudio: chatModel('qwen3-8b', { baseURL: 'http://127.0.0.1:1234/v1', apiKey: '' }),
  vllm: chatModel('Qwen/Qwen3-8B', { baseURL: 'http://127.0.0.1:8000/v1', apiKey: '' }),
}
// #endregion

for (const model of Object.values(models)) console.log(model.name)
