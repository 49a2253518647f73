import { answerJobs } from './answer-jobs.js'
import { tasks } from './tasks.js'

// The file that worker threads start from.
export default answerJobs(tasks)
