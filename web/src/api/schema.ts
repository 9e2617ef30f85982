// Made by web/make_types.py from the server's OpenAPI document. Do not edit: run `make page-types`.

export type Agent = { name: string; installed: boolean; version: string | null; path: string | null; transports: ("acp" | "server" | "oneshot")[]; login: string; install: string };

export type AgentCall = { v: number; seq: number; at: string; session: string | null; turn: string | null; call_id: string; title: string; tool_kind: string; status: "pending" | "running" | "done" | "failed"; paths: string[]; text: string; diff: string; kind: "agent_call" };

export type AgentList = { agents: Agent[] };

export type AgentNote = { v: number; seq: number; at: string; session: string | null; turn: string | null; note_kind: string; body: Record<string, unknown>; kind: "agent_note" };

export type AgentStateChanged = { v: number; seq: number; at: string; session: string | null; turn: string | null; agent: string; transport: "acp" | "server" | "oneshot"; status: "starting" | "warm" | "busy" | "crashed" | "closed"; fresh: boolean; message: string; kind: "agent_state" };

export type Approval = { id: string; project: string; session: string; turn: string; what: "edit" | "protected" | "command" | "access" | "read" | "trust" | "tool"; subject: string; why: string; options: ("once" | "session" | "always" | "deny")[]; asked_at: string; answer: "once" | "session" | "always" | "deny" | "nobody" | "cancelled" | null; reason: string; answered_at: string | null; waits: boolean; prefix: string | null };

export type ApprovalAnswered = { outcome: "answered"; approval_id: string; session: string; turn: string; answer: "once" | "session" | "always" | "deny" | "nobody" | "cancelled"; reason: string; always: string };

export type ApprovalAsked = { v: number; seq: number; at: string; session: string | null; turn: string | null; what: "edit" | "protected" | "command" | "access" | "read" | "trust" | "tool"; subject: string; why: string; approval_id: string; options: ("once" | "session" | "always" | "deny")[]; kind: "approval_asked" };

export type ApprovalGiven = { v: number; seq: number; at: string; session: string | null; turn: string | null; subject: string; answer: "once" | "session" | "always" | "deny" | "nobody" | "cancelled"; approval_id: string; reason: string; kind: "approval_given" };

export type ApprovalList = { approvals: Approval[] };

export type ApprovalReply = { answer: "once" | "session" | "always" | "deny"; reason?: string; prefix?: boolean };

export type AttachedText = { name: string; text: string };

export type Attachment = { path?: string | null; name?: string | null; text?: string | null };

export type BaselineChange = { change_id: string; state: "proposed" | "applied" | "rejected" | "rewound" };

export type BaselineChat = { chat_id: string; message_ids: string[] };

export type BaselineCheckpoint = { checkpoint_id: string; chat_id: string | null; trashed: boolean };

export type BaselineTurn = { turn_id: string; status: string };

export type CallEnded = { v: number; seq: number; at: string; session: string | null; turn: string | null; call_id: string; name: string; text: string; failure: "schema_reject" | "tool_not_found" | "exec_error" | "api_error" | "permission_denied" | null; read: string[]; modified: string[]; kind: "call_ended" };

export type CallStarted = { v: number; seq: number; at: string; session: string | null; turn: string | null; call: ToolCall; kind: "call_started" };

export type CapHitBody = { steps: number; can_continue?: boolean };

export type CapHitSentinel = { text: string; kind: "cap_hit"; body: CapHitBody };

export type Change = { id: string; seq: number; state: "proposed" | "applied" | "rejected" | "rewound"; origin: string; created_at: string; settled_at: string | null; session: string | null; turn: string | null; part_of: string | null; worktree: string | null; files: LandedFile[]; hunks: Hunk[]; total_hunks: number };

export type ChangeList = { changes: ChangeSummary[]; rejections: Rejection[] };

export type ChangeMoved = { v: number; seq: number; at: string; session: string | null; turn: string | null; change_id: string; state: "proposed" | "applied" | "rejected" | "rewound"; replaces: string | null; group: string | null; written: FileWritten[]; kind: "change_moved" };

export type ChangeSettled = { outcome: "applied" | "rejected" | "rewound" | "waits"; id: string; files: SettledFile[]; rest: string | null; seq: number | null; waits: boolean; message: string };

export type ChangeSummary = { id: string; seq: number; state: "proposed" | "applied" | "rejected" | "rewound"; origin: string; created_at: string; settled_at: string | null; session: string | null; turn: string | null; part_of: string | null; worktree: string | null; files: ChangedFile[] };

export type ChangedFile = { path: string; action: "edit" | "create" | "delete" | "rename"; to: string | null };

export type ChangesRemoved = { v: number; seq: number; at: string; session: string | null; turn: string | null; change_ids: string[]; kind: "changes_removed" };

export type ChantBody = { channel: string };

export type ChantSentinel = { text: string; kind: "chant"; body: ChantBody };

export type CheckpointInfo = { id: string; label: string; kind: string; created_at: string; seq: number; commit: string; head: string | null; branch: string | null; worktree: string; session: string | null; message: string | null; skipped: string[]; skipped_why: Record<string, string> };

export type CheckpointList = { checkpoints: CheckpointInfo[] };

export type CheckpointMissed = { v: number; seq: number; at: string; session: string | null; turn: string | null; message: string; kind: "checkpoint_missed" };

export type CheckpointRestored = { v: number; seq: number; at: string; session: string | null; turn: string | null; verb: "restore" | "undo"; scope: "both" | "files" | "conversation"; checkpoint_id: string; undo_checkpoint_id: string; messages_deleted: number; messages_brought_back: number; worktree_reset: boolean; backend_reset: boolean; chat_id: string | null; message_ids_deleted: string[]; message_ids_brought_back: string[]; checkpoint_ids_removed: string[]; checkpoint_ids_brought_back: string[]; turn_ids_removed: string[]; turn_ids_brought_back: string[]; change_ids_removed: string[]; change_ids_brought_back: string[]; changes_restored: BaselineChange[]; kind: "restored" };

export type CheckpointTaken = { v: number; seq: number; at: string; session: string | null; turn: string | null; checkpoint_id: string; skipped: SkippedPath[]; message_id: string | null; label: string; checkpoint_kind: string; chat_id: string | null; kind: "checkpoint_taken" };

export type CheckpointsRemoved = { v: number; seq: number; at: string; session: string | null; turn: string | null; checkpoint_ids: string[]; kind: "checkpoints_removed" };

export type CommandRan = { v: number; seq: number; at: string; session: string | null; turn: string | null; command: string; exit_code: number | null; output: string; kind: "command_ran" };

export type Commit = { id: string; title: string; at: string };

export type Compacted = { v: number; seq: number; at: string; session: string | null; turn: string | null; summary: string; tail: number; messages: number; tokens_before: number; tokens_after: number; read: string[]; modified: string[]; kind: "compacted" };

export type CompactionBody = { messages: number; tokens_before: number; tokens_after: number };

export type CompactionOffBody = { passes: number };

export type CompactionOffSentinel = { text: string; kind: "compaction_off"; body: CompactionOffBody };

export type CompactionSentinel = { text: string; kind: "compaction"; body: CompactionBody };

export type Decision = { id: string; module: string; path: string; target: string; decision_type: string; choice: string; verdict: "accepted" | "rejected" | "failed"; detail: string; alternatives: string[]; reasoning: string; model_id: string; confidence: number | null; pinned: boolean; pin_reason: string | null; pinned_at: string | null; pinned_by: string | null; superseded_by: string | null; timestamp: string; diff: string; before_sha: string; after_sha: string; oracle: string; rule_id: string | null; diagnostic: Record<string, unknown> | null; promoted_from: string | null; scope: "build" | "runtime" };

export type DecisionAnswer = { decision: Decision };

export type DecisionList = { decisions: Decision[]; problems: string[] };

export type DiffFile = { path: string; status: string; added: number | null; removed: number | null };

export type DoomLoopBody = { pattern: string; count: number; escalated: boolean; can_continue?: boolean };

export type DoomLoopSentinel = { text: string; kind: "doom_loop"; body: DoomLoopBody };

export type EditLanded = { v: number; seq: number; at: string; session: string | null; turn: string | null; path: string; action: "edit" | "create" | "delete" | "rename"; rung: "exact" | "whitespace" | "unicode" | "unmangled" | "elision" | "similar"; similarity: number; diff: string; change_id: string | null; to: string | null; proposed: boolean; kind: "edit_landed" };

export type EditObserved = { v: number; seq: number; at: string; session: string | null; turn: string | null; path: string; action: "edit" | "create" | "delete" | "rename"; to: string | null; diff: string; change_id: string; by: "command" | "agent" | "outside"; kind: "edit_observed" };

export type EditRefused = { v: number; seq: number; at: string; session: string | null; turn: string | null; path: string; reason: "not_found" | "ambiguous" | "already_applied" | "no_change" | "malformed" | "conflict" | "out_of_bounds" | "overlap" | "elision" | "syntax" | "stale" | "empty_old"; message: string; kind: "edit_refused" };

export type Event = TurnStarted | CheckpointTaken | CheckpointMissed | CheckpointsRemoved | CheckpointRestored | StepStarted | TextArrived | ReasoningArrived | Retried | ModelAwaited | Said | CallStarted | CallEnded | EditLanded | EditObserved | EditRefused | ChangeMoved | ChangesRemoved | CommandRan | ApprovalAsked | ApprovalGiven | SentinelRaised | Compacted | RepairEnded | UsageReported | AgentCall | PlanStated | AgentStateChanged | AgentNote | WorktreeChanged | Recovered | TurnEnded | SessionChanged | MessageQueued | RejectionQueued | SessionDeleted | GarbageCollected | LogBaseline;

export type FileContent = { path: string; at: string; text: string | null; size: number; binary: boolean };

export type FileWritten = { path: string; digest: string; mode: number | null };

export type ForkRequest = { checkpoint_id?: string | null; title?: string | null };

export type GarbageCollected = { v: number; seq: number; at: string; session: string | null; turn: string | null; refs_removed: number; changes_removed: number; events_removed: number; kind: "garbage_collected" };

export type Health = { status: "ok" | "stopping"; version: string; turns: number; followers: number };

export type Hunk = { number: number; path: string; diff: string };

export type HunkChoice = { hunks?: number[] };

export type HunkPage = { hunks: Hunk[]; total: number };

export type InterruptedBody = { can_continue?: boolean };

export type InterruptedSentinel = { text: string; kind: "interrupted"; body: InterruptedBody };

export type LandedFile = { path: string; action: "edit" | "create" | "delete" | "rename"; rung: "exact" | "whitespace" | "unicode" | "unmangled" | "elision" | "similar"; similarity: number; diff: string; to: string | null; base: string | null };

export type Ledger = { read: string[]; modified: string[] };

export type LogBaseline = { v: number; seq: number; at: string; session: string | null; turn: string | null; sessions: string[]; chats: BaselineChat[]; changes: BaselineChange[]; checkpoints: BaselineCheckpoint[]; turns: BaselineTurn[]; kind: "baseline" };

export type MergeRequest = { form?: "changes" | "branch"; hunks?: number[] };

export type Merged = { outcome: "proposed" | "committed" | "unchanged"; session: string; change_id: string | null; files: string[]; partly: boolean; branch: string | null; commit: string | null; seq: number | null };

export type Message = { id: string; seq: number; role: "user" | "assistant"; state: string; text: string; turn_id: string | null; checkpoint_id: string | null; created_at: string; events: Event[] };

export type MessagePage = { messages: Message[]; before: number | null; queue: QueuedMessage[]; seq: number };

export type MessageQueued = { v: number; seq: number; at: string; session: string | null; turn: string | null; message_id: string; turn_id: string; state: "waiting" | "begun" | "removed" | "refused"; text: string; attachments: string[]; client_id: string | null; why: string; kind: "message_queued" };

export type MessageSent = { turn_id: string; message_id: string; queued: boolean };

export type MistakeRecoveryBody = { failure_kinds: ("schema_reject" | "tool_not_found" | "exec_error" | "api_error" | "permission_denied")[]; count: number; escalated: boolean; can_continue?: boolean };

export type MistakeRecoverySentinel = { text: string; kind: "mistake_recovery"; body: MistakeRecoveryBody };

export type ModelAwaited = { v: number; seq: number; at: string; session: string | null; turn: string | null; seconds: number; kind: "waiting" };

export type ModelList = { models: string[]; model: string | null; base_url: string | null; problem: string };

export type NeedsApprovalBody = { tool: string; can_continue?: boolean };

export type NeedsApprovalSentinel = { text: string; kind: "needs_approval"; body: NeedsApprovalBody };

export type NewMessage = { text: string; attachments?: Attachment[]; client_id?: string | null };

export type NewProject = { path: string };

export type NewSession = { project?: string | null; title?: string; agent?: string; model?: string | null; mode?: "ask" | "auto" | "review" | "plan" | null; place?: "worktree" | "in_place" | null; with_changes?: boolean };

export type OpenMatter = { what: "edit" | "command" | "call"; subject: string; why: string; tries: number; denied: boolean };

export type OverruledValue = { value: unknown; source: string };

export type PinRequest = { reason?: string };

export type PlanEntry = { text: string; status: string };

export type PlanStated = { v: number; seq: number; at: string; session: string | null; turn: string | null; entries: PlanEntry[]; kind: "plan" };

export type PreviewFile = { path: string; status: string; by: "session" | "other" };

export type Problem = { title: string; status: number; detail: string; hint: string; code: "unauthorized" | "forbidden_host" | "forbidden_origin" | "not_json" | "too_large" | "too_slow" | "invalid" | "not_found" | "method_not_allowed" | "conflict" | "answered" | "refused" | "turn_running" | "nothing_running" | "nothing_to_continue" | "not_added" | "not_sent" | "stopping" | "disk_full" | "unavailable" | "internal"; refusals: Refusal[] };

export type Project = { id: string; name: string; root: string; git: boolean; sessions: number; last_seq: number };

export type ProjectList = { projects: Project[] };

export type Queue = { queue: QueuedMessage[] };

export type QueueEdit = { text: string; attachments?: Attachment[] | null };

export type QueuedMessage = { id: string; turn_id: string; state: "waiting" | "begun" | "removed" | "refused"; text: string; attachments: AttachedText[]; client_id: string | null; why: string; created_at: string };

export type ReasoningArrived = { v: number; seq: number; at: string; session: string | null; turn: string | null; text: string; kind: "reasoning" };

export type Recovered = { v: number; seq: number; at: string; session: string | null; turn: string | null; what: "batch" | "restore"; id: string; outcome: "finished" | "rolled_back" | "dropped" | "stopped"; message: string; paths: string[]; kind: "recovered" };

export type Refusal = { path: string; reason: "not_found" | "ambiguous" | "already_applied" | "no_change" | "malformed" | "conflict" | "out_of_bounds" | "overlap" | "elision" | "syntax" | "stale" | "empty_old"; message: string; closest?: string; candidates?: number[] };

export type RejectRequest = { hunks?: number[]; reason?: string };

export type Rejection = { change_id: string; hunks: number[]; reason: string; state: "waiting" | "done" | "refused"; why: string };

export type RejectionQueued = { v: number; seq: number; at: string; session: string | null; turn: string | null; change_id: string; state: "waiting" | "done" | "refused"; hunks: number[]; reason: string; why: string; kind: "rejection_queued" };

export type Removed = { outcome: "removed" | "deleted"; id: string };

export type RepairEnded = { v: number; seq: number; at: string; session: string | null; turn: string | null; path: string; outcome: string; success: boolean; message: string; rule_ids: string[]; change_id: string | null; kind: "repair" };

export type RestoreDone = { checkpoint_id: string; messages_deleted: number; messages_brought_back: number; worktree_reset: boolean; backend_reset: boolean; undo_checkpoint_id: string; kept: string[]; kept_why: Record<string, string>; lost: string[]; lost_why: Record<string, string>; index_reset: boolean; index_differs: boolean; commits: string[]; notes: string[]; prompt: string | null; seq: number | null };

export type RestorePreview = { files: PreviewFile[]; messages: number; will_stop_turn: boolean; kept: Record<string, string> };

export type RestoreRequest = { scope?: "both" | "files" | "conversation"; keep?: string[] };

export type Retried = { v: number; seq: number; at: string; session: string | null; turn: string | null; reason: string; kind: "retried" };

export type Said = { v: number; seq: number; at: string; session: string | null; turn: string | null; text: string; reasoning: string; calls: ToolCall[]; kind: "said" };

export type SandboxInfo = { kind: "bubblewrap" | "landlock" | "seatbelt" | "none"; why: string };

export type Sentinel = MistakeRecoverySentinel | DoomLoopSentinel | CapHitSentinel | CompactionSentinel | CompactionOffSentinel | ChantSentinel | InterruptedSentinel | NeedsApprovalSentinel;

export type SentinelRaised = { v: number; seq: number; at: string; session: string | null; turn: string | null; sentinel: Sentinel; kind: "sentinel" };

export type Session = { id: string; project: string; title: string; agent: string; model: string | null; chosen_model: string | null; mode: string | null; place: "worktree" | "in_place"; root: string; branch: string | null; state: "running" | "waiting" | "stopped" | "done"; archived: boolean; turn_id: string | null; last_turn: string | null; stop_reason: string | null; can_continue: boolean; approvals: number; queued: number; messages: number; turns: number; files_changed: number; proposed: number; last_words: string; created_at: string; updated_at: string };

export type SessionChanged = { v: number; seq: number; at: string; session: string | null; turn: string | null; action: "created" | "renamed" | "archived" | "unarchived" | "forked"; session_id: string; title: string; agent: string; model: string | null; mode: string | null; archived: boolean; forked_from: string | null; checkpoint_id: string | null; chat_id: string; message_ids: string[]; kind: "session_changed" };

export type SessionDeleted = { v: number; seq: number; at: string; session: string | null; turn: string | null; session_id: string; chat_ids: string[]; turn_ids: string[]; change_ids: string[]; kind: "session_deleted" };

export type SessionDeletion = { outcome: "deleted"; session: string; turns: string[]; changes: string[]; refs: number; bytes: number; kept_refs: string[]; seq: number | null };

export type SessionDiff = { against: string; files: DiffFile[]; hunks: Hunk[]; total: number; commits: Commit[] };

export type SessionEdit = { title?: string | null; archived?: boolean | null; mode?: "ask" | "auto" | "review" | "plan" | null; model?: string | null };

export type SessionList = { sessions: Session[]; total: number; next_offset: number | null };

export type SettingList = { settings: Record<string, SettingValue>; user_file: string; key_withheld: string | null; sandbox: SandboxInfo };

export type SettingValue = { value: unknown; set: boolean; source: string; overruled: OverruledValue[]; help: string };

export type SettledFile = { path: string; action: string };

export type SkippedPath = { path: string; why: string };

export type StepStarted = { v: number; seq: number; at: string; session: string | null; turn: string | null; step: number; kind: "step_started" };

export type TextArrived = { v: number; seq: number; at: string; session: string | null; turn: string | null; text: string; kind: "text" };

export type Timeline = { events: (TurnStarted | CheckpointTaken | CheckpointMissed | CheckpointsRemoved | CheckpointRestored | StepStarted | TextArrived | ReasoningArrived | Retried | ModelAwaited | Said | CallStarted | CallEnded | EditLanded | EditObserved | EditRefused | ChangeMoved | ChangesRemoved | CommandRan | ApprovalAsked | ApprovalGiven | SentinelRaised | Compacted | RepairEnded | UsageReported | AgentCall | PlanStated | AgentStateChanged | AgentNote | WorktreeChanged | Recovered | TurnEnded | SessionChanged | MessageQueued | RejectionQueued | SessionDeleted | GarbageCollected | LogBaseline)[]; before: number | null };

export type ToolCall = { id: string; name: string; arguments: Record<string, unknown>; note: string | null };

export type TurnAccepted = { turn_id: string; message_id: string };

export type TurnCancelled = { outcome: "cancelled" | "nothing_running"; turn_id: string; message: string };

export type TurnEnded = { v: number; seq: number; at: string; session: string | null; turn: string | null; stop_reason: "done" | "mistakes" | "loop" | "cap" | "unreachable" | "needs_approval" | "needs_login" | "cancelled" | "failed" | "interrupted" | "refused" | "max_tokens"; message: string; steps: number; prompt_tokens: number; completion_tokens: number; files: string[]; ended_by: "turn" | "stop" | "restore" | "recovery"; observed: string[]; unresolved: OpenMatter[]; kind: "turn_ended" };

export type TurnStarted = { v: number; seq: number; at: string; session: string; turn: string; model: string; prompt: string; continued: boolean; agent: string; chat_id: string; prompt_message_id: string | null; message_id: string; sandbox: "bubblewrap" | "landlock" | "seatbelt" | "none" | ""; root: string; context: number | null; kind: "turn_started" };

export type Updated = { outcome: "updated" | "unchanged"; session: string; commit: string | null; base: string; checkpoint_id: string | null; seq: number | null };

export type UsageReported = { v: number; seq: number; at: string; session: string | null; turn: string | null; prompt: number; completion: number; estimated: boolean; context: number | null; window: number | null; kind: "usage" };

export type Worktree = { id: string; session: string; project: string; path: string; branch: string; base: string; follows: string | null; root: string; with_changes: boolean; state: "there" | "removed" | "gone"; title: string; created_at: string | null };

export type WorktreeChanged = { v: number; seq: number; at: string; session: string | null; turn: string | null; action: "made" | "made_anew" | "updated" | "merged" | "removed"; session_id: string; path: string; branch: string; base: string; checkpoint_id: string | null; change_id: string | null; kind: "worktree" };

export type WorktreeList = { worktrees: Worktree[] };

export type WorktreeRemoval = { outcome: "removed"; session: string; path: string; checkpoint_id: string | null; branch: string | null; seq: number | null };

export interface Operations {
  listAgents: { query: { project?: string | null }; answer: AgentList };
  listApprovals: { query: { state?: "waiting" | "all"; project?: string | null; session?: string | null }; answer: ApprovalList };
  answerApproval: { path: { id: string }; body: ApprovalReply; answer: ApprovalAnswered };
  getChange: { path: { id: string }; query: { hunks?: boolean }; answer: Change };
  applyChange: { path: { id: string }; body?: HunkChoice; answer: ChangeSettled };
  listHunks: { path: { id: string }; query: { from?: number; count?: number }; answer: HunkPage };
  rejectChange: { path: { id: string }; body?: RejectRequest; answer: ChangeSettled };
  rewindChange: { path: { id: string }; answer: ChangeSettled };
  listDecisions: { query: { project?: string | null; scope?: "build" | "runtime" | null; unpinned?: boolean }; answer: DecisionList };
  pinDecision: { path: { id: string }; query: { project?: string | null }; body?: PinRequest; answer: DecisionAnswer };
  unpinDecision: { path: { id: string }; query: { project?: string | null }; answer: DecisionAnswer };
  getHealth: { answer: Health };
  listModels: { query: { project?: string | null }; answer: ModelList };
  listProjects: { answer: ProjectList };
  addProject: { body: NewProject; answer: Project };
  getProject: { path: { id: string }; answer: Project };
  removeProject: { path: { id: string }; answer: Removed };
  followEvents: { path: { id: string }; query: { after?: number | null; session?: string | null }; answer: undefined };
  listSessions: { query: { project?: string | null; state?: "running" | "waiting" | "stopped" | "done" | "archived" | null; q?: string; offset?: number; limit?: number }; answer: SessionList };
  createSession: { body: NewSession; answer: Session };
  getSession: { path: { id: string }; answer: Session };
  updateSession: { path: { id: string }; body: SessionEdit; answer: Session };
  deleteSession: { path: { id: string }; answer: SessionDeletion };
  listChanges: { path: { id: string }; query: { limit?: number }; answer: ChangeList };
  listCheckpoints: { path: { id: string }; answer: CheckpointList };
  continueSession: { path: { id: string }; answer: TurnAccepted };
  getDiff: { path: { id: string }; query: { against?: string; path?: string | null; from?: number; count?: number }; answer: SessionDiff };
  getFile: { path: { id: string; path: string }; query: { at?: string }; answer: FileContent };
  forkSession: { path: { id: string }; body?: ForkRequest; answer: Session };
  getLedger: { path: { id: string }; answer: Ledger };
  listMessages: { path: { id: string }; query: { before?: number | null; limit?: number }; answer: MessagePage };
  sendMessage: { path: { id: string }; body: NewMessage; answer: MessageSent };
  listQueue: { path: { id: string }; answer: Queue };
  editQueued: { path: { id: string; messageId: string }; body: QueueEdit; answer: QueuedMessage };
  removeQueued: { path: { id: string; messageId: string }; answer: Removed };
  sendQueuedNow: { path: { id: string; messageId: string }; answer: MessageSent };
  listTimeline: { path: { id: string }; query: { before?: number | null; limit?: number }; answer: Timeline };
  undoRestore: { path: { id: string }; answer: RestoreDone };
  previewRestore: { path: { sessionId: string; checkpointId: string }; query: { scope?: "both" | "files" | "conversation" }; answer: RestorePreview };
  restoreCheckpoint: { path: { sessionId: string; checkpointId: string }; body: RestoreRequest; answer: RestoreDone };
  getSettings: { query: { project?: string | null }; answer: SettingList };
  cancelTurn: { path: { id: string }; answer: TurnCancelled };
  listWorktrees: { query: { project?: string | null }; answer: WorktreeList };
  removeWorktree: { path: { id: string }; query: { force?: boolean }; answer: WorktreeRemoval };
  mergeWorktree: { path: { id: string }; body?: MergeRequest; answer: Merged };
  updateWorktree: { path: { id: string }; answer: Updated };
}

export const operations: Record<keyof Operations, readonly [string, string]> = {
  listAgents: ["GET", "/api/agents"],
  listApprovals: ["GET", "/api/approvals"],
  answerApproval: ["POST", "/api/approvals/{id}"],
  getChange: ["GET", "/api/changes/{id}"],
  applyChange: ["POST", "/api/changes/{id}/apply"],
  listHunks: ["GET", "/api/changes/{id}/hunks"],
  rejectChange: ["POST", "/api/changes/{id}/reject"],
  rewindChange: ["POST", "/api/changes/{id}/rewind"],
  listDecisions: ["GET", "/api/decisions"],
  pinDecision: ["POST", "/api/decisions/{id}/pin"],
  unpinDecision: ["POST", "/api/decisions/{id}/unpin"],
  getHealth: ["GET", "/api/health"],
  listModels: ["GET", "/api/models"],
  listProjects: ["GET", "/api/projects"],
  addProject: ["POST", "/api/projects"],
  getProject: ["GET", "/api/projects/{id}"],
  removeProject: ["DELETE", "/api/projects/{id}"],
  followEvents: ["GET", "/api/projects/{id}/events"],
  listSessions: ["GET", "/api/sessions"],
  createSession: ["POST", "/api/sessions"],
  getSession: ["GET", "/api/sessions/{id}"],
  updateSession: ["PATCH", "/api/sessions/{id}"],
  deleteSession: ["DELETE", "/api/sessions/{id}"],
  listChanges: ["GET", "/api/sessions/{id}/changes"],
  listCheckpoints: ["GET", "/api/sessions/{id}/checkpoints"],
  continueSession: ["POST", "/api/sessions/{id}/continue"],
  getDiff: ["GET", "/api/sessions/{id}/diff"],
  getFile: ["GET", "/api/sessions/{id}/files/{path}"],
  forkSession: ["POST", "/api/sessions/{id}/fork"],
  getLedger: ["GET", "/api/sessions/{id}/ledger"],
  listMessages: ["GET", "/api/sessions/{id}/messages"],
  sendMessage: ["POST", "/api/sessions/{id}/messages"],
  listQueue: ["GET", "/api/sessions/{id}/queue"],
  editQueued: ["PATCH", "/api/sessions/{id}/queue/{messageId}"],
  removeQueued: ["DELETE", "/api/sessions/{id}/queue/{messageId}"],
  sendQueuedNow: ["POST", "/api/sessions/{id}/queue/{messageId}/send"],
  listTimeline: ["GET", "/api/sessions/{id}/timeline"],
  undoRestore: ["POST", "/api/sessions/{id}/undo"],
  previewRestore: ["GET", "/api/sessions/{sessionId}/checkpoints/{checkpointId}/preview"],
  restoreCheckpoint: ["POST", "/api/sessions/{sessionId}/checkpoints/{checkpointId}/restore"],
  getSettings: ["GET", "/api/settings"],
  cancelTurn: ["POST", "/api/turns/{id}/cancel"],
  listWorktrees: ["GET", "/api/worktrees"],
  removeWorktree: ["DELETE", "/api/worktrees/{id}"],
  mergeWorktree: ["POST", "/api/worktrees/{id}/merge"],
  updateWorktree: ["POST", "/api/worktrees/{id}/update"],
};
