// Starts the local service in a thread and sets it in the environment: no key, no network. To use a real model, delete
// the line that imports this file, set OPENAI_API_KEY, and replace `planner` by the name of your model.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const thread = new Worker(new URL('./local-service-thread.mjs', import.meta.url))
const [{ baseURL, apiKey }] = await once(thread, 'message')
// The thread ends with the program.
thread.unref()
Object.assign(process.env, { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, CAPSTAN_MODEL: 'planner' })
