/**
 * Names that agents give to tools of their own machinery. The default of `resident`: a model that has
 * to search for one of these does not know that it could. Exact names, and none that an ordinary
 * server's tool is likely to have.
 */
export const NEVER_DEFERRED: readonly string[] = /* @__PURE__ */ Object.freeze([
  // Skills: the prompt lists them and says to load one by this tool.
  "skill",
  "Skill",
  "load_skill",
  "read_skill",
  "use_skill",
  "activate_skill",
  "list_skills",
  "load_skill_resource",
  "read_skill_resource",
  "run_skill_script",
  // Memory: read before the model knows what it is looking for, written when nothing asks for it.
  "memory",
  "read_memory",
  "write_memory",
  "save_memory",
  "update_memory",
  "search_memory",
  "recall_memory",
  "load_memory",
  // Sub-agents: delegating is a decision about the work itself, not a step of it.
  "task",
  "Task",
  "Agent",
  "spawn_agent",
  "send_input",
  "wait_agent",
  "close_agent",
  "run_subagent",
  "delegate_task",
  // Background tasks: what was started must be seen and stopped, whatever else happens.
  "task_output",
  "TaskOutput",
  "task_stop",
  "TaskStop",
  "bash_output",
  "BashOutput",
  "kill_shell",
  "KillShell",
  // Asking the user: without it a model guesses.
  "ask_user",
  "ask_question",
  "ask_user_question",
  "AskUserQuestion",
  "ask_followup_question",
  "request_user_input",
  // Plans: the prompt tells the model to keep one from the first step on.
  "todo_read",
  "todo_write",
  "TodoWrite",
  "write_todos",
  "update_plan",
  "enter_plan_mode",
  "exit_plan_mode",
  "ExitPlanMode",
])
