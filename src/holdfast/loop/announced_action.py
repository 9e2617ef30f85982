"""Detect a reply that ends by announcing an action without a call: "Now let me write the file."."""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.quoted_parts import fences
from holdfast.vocab.lazy_pattern import lazy_pattern

_LONGEST: Final = 400
"""An announcement is a sentence or two. A long last paragraph is an answer."""

_ENGLISH_VERBS: Final = (
    "read writ creat check look open run search edit updat fix implement add list explor examin"
    " inspect start begin find modif apply mak test build see view verif continu proceed us call"
    " execut investigat analy replac remov delet refactor set try trying do go chang generat get"
    " fetch review grep patch correct insert put work scan"
)
_CHINESE_VERBS: Final = (
    "读取 阅读 查看 编写 写入 写 创建 修改 运行 执行 检查 搜索 更新 添加 实现 打开 修复 测试"
    " 看看 看一下 分析 列出 查找 开始 编辑 替换 删除 确认 调用 讀取 檢查 執行 建立"
)
_JAPANESE_VERBS: Final = (
    "読み 読ん 書き 作成 確認 実行 修正 更新 検索 編集 追加"
    " 実装 開き 調べ 見て テスト 変更 開始 進め 探し 分析"
)
_KOREAN_VERBS: Final = (
    "읽 작성 확인 실행 수정 업데이트 검색 편집 추가 구현 열 살펴 테스트 생성 변경"
)


def _any(words: str) -> str:
    return "(?:" + "|".join(words.split()) + ")"


def join_patterns(*alternatives: str) -> re.Pattern[str]:
    """Return one pattern for any of the alternatives, in any case."""
    return re.compile("|".join(alternatives), re.IGNORECASE)


_EN: Final = rf"\b{_any(_ENGLISH_VERBS)}\w{{0,6}}\b"
_ANNOUNCED: Final = (
    join_patterns(
        r"\b(?:let me|let['’]s|let us|(?:i|we)['’]ll|(?:i|we) (?:will|shall|should|must))\b"
        rf"[\w\s,'’]{{0,40}}?{_EN}",
        r"\b(?:(?:i|we) (?:now )?(?:need|have|want) to|time to|going to|next step is to)\b"
        rf"[\w\s,'’]{{0,40}}?{_EN}",
        rf"^(?:now|next),? (?:i['’]m |i am )?(?=\w+ing\b){_EN}",
        rf"^(?=\w+ing\b){_EN}[^.!?]{{0,100}}(?:\.\.\.|…|:)$",
    ),
    join_patterns(  # German
        r"\b(?:ich werde|werde ich|lass(?:en sie|t)? (?:mich|uns))\b",
        r"\b(?:jetzt|nun|zuerst|zunächst|als nächstes|dann)\b[^.!?]{0,20}\b\w+e? (?:ich|wir)\b",
        r"\b(?:ich|wir) (?!habe|haben|bin|sind)\w+ [^.!?]{0,20}"
        r"\b(?:jetzt|nun|zuerst|zunächst|als nächstes)\b",
    ),
    join_patterns(  # French
        r"\b(?:je vais|nous allons|on va|laisse[zs]?[- ]moi|permettez[- ]moi)\b",
        r"\b(?:maintenant|ensuite|d['’]abord),? (?:je|nous)\b",
        r"\b(?:regardons|voyons|commençons|vérifions|lisons|ouvrons|passons|cherchons|écrivons|créons)\b",
    ),
    join_patterns(  # Spanish, Portuguese, Italian
        r"\b(?:voy|vamos) a (?!ser\b|estar\b)\w+r(?:lo|la|los|las)?\b",
        r"\b(?:d[ée]jame|d[ée]jeme|perm[íi]t[ea]me|deixe-me|fammi|lasciami) \w+",
        r"\b(?:vou|vamos) (?:agora )?\w+[aei]r\b",
        r"\b(?:ora|adesso) (?:vado a|procedo|leggo|scrivo|creo|controllo|eseguo)\b",
    ),
    join_patterns(  # Russian: future actions in the first person
        r"\b(?:сейчас|теперь|далее|затем|сначала|я)\b[^.!?]{0,30}"
        r"\b(?:про|по|на|от|за|со|вы|об|до|из|ис|реал|пере)\w*[ую]\b",
        r"\bдавайте \w+м\b",
        r"\b(?:я )?буду \w+ть\b",
        r"\bпозвольте(?: мне)? \w+ть\b",
        r"\bначну\b",
    ),
    join_patterns(
        r"(?:接下来|现在|下面|首先|然后|随后|让我|我来|我将|我会|我先|我需要|我要"
        r"|继续|下一步|接著|讓我|現在)"
        rf"[^。！？?!]{{0,40}}?{_any(_CHINESE_VERBS)}"
    ),
    join_patterns(
        rf"{_any(_JAPANESE_VERBS)}[^。！？?!]{{0,12}}?(?:ます|ましょう|みます|いきます)(?!か|ん)"
    ),
    join_patterns(rf"{_any(_KOREAN_VERBS)}[^.!?]{{0,12}}(?:겠습니다|게요|봅시다)"),
)
# A sentence that asks, offers, declines or leaves the action to the reader is an answer.
_OFFERED: Final = join_patterns(
    r"\?|？",
    r"\b(?:let (?:me|us) know|if you|once you|when(?:ever)? you|should you|would you|could you"
    r"|please|feel free)\b",
    r"\b(?:happy to|glad to|wait for|i can|you can|you['’]ll|you should|you may|you need"
    r"|need your|need you|unless)\b",
    r"\b(?:no need|anything else|not going to|will not|won['’]t|cannot|can['’]t|unable to|able to"
    r"|from now on)\b",
    r"\b(?:wenn sie|wenn du|falls|bitte|möchten|si vous|si tu|n['’]hésite|souhaite|s['’]il)",
    r"\b(?:si quieres|si desea|si necesita|por favor|avísame|se quiser|se vuoi"
    r"|если|пожалуйста|сообщите|дайте знать)",
    r"如果|若需|请|請|吗|是否|随时|ください|でしょうか|もし|ますか|원하시|주세요",
)
# So is a report of what was done.
_REPORTED: Final = join_patterns(
    r"^(?:i|we)(?:['’]ve| have (?!to\b)| had)",
    r"\b(?:is|are|was|were) (?:now )?(?:done|complete|finished|fixed|updated)\b",
    r"已经|已完成|完成了|ました|했습니다",
)
_PARAGRAPHS = lazy_pattern(r"\n[ \t\r]*\n")
_ITEM = lazy_pattern(r"[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>|\|)")
_SENTENCES = lazy_pattern(r"(?<=[.!?…:：])\s+|(?<=[。！？])")
_FOLLOW_UP = lazy_pattern(
    r"(?:this|it|that|these|they|the (?:file|test|function|command)s?)"
    r" (?:will|should|would|is|are)\b",
    re.IGNORECASE,
)
_ACTION_FENCE = lazy_pattern(
    r"[`~]{3,}[ \t]*(?:(?:bash|sh|shell|zsh|console|powershell|cmd|tool_call|tool_code)\b"
    r"|[^\n]*\n\s*[\[{])"
)
"""A fence with a command or a call. What stands before it announces it."""


def announces_action(text: str) -> bool:
    """Return whether the text ends by announcing an action. A call in a code fence is not a call.

    >>> announces_action("I see the bug. Now let me write the file.")
    True
    >>> announces_action("I have updated the file. Let me know if you want more.")
    False
    """
    paragraph = _last_paragraph(text[-6000:].rstrip())
    if len(paragraph) > _LONGEST:
        return False

    last_line = paragraph.rpartition("\n")[2]
    if _ITEM.match(last_line):
        return False

    sentences = _sentences(paragraph)
    while len(sentences) > 1 and _FOLLOW_UP.match(sentences[-1]):
        sentences.pop()

    if not sentences:
        return False

    return _is_announcement(sentences[-1])


def has_announcement(text: str) -> bool:
    """Return whether any sentence of the text announces an action."""
    return any(map(_is_announcement, _sentences(text)))


def offers_action(text: str) -> bool:
    """Return whether the last sentence of the text asks, or leaves an action to the reader.

    >>> offers_action("It appends a line. Let me know if I should do it.")
    True
    """
    sentences = _sentences(text)
    return bool(sentences) and _OFFERED.search(sentences[-1]) is not None


def _sentences(text: str) -> list[str]:
    parts = map(str.strip, _SENTENCES.split(text))
    return list(filter(None, parts))


def _is_announcement(sentence: str) -> bool:
    words = sentence.strip("*_ ")
    if _OFFERED.search(words) or _REPORTED.search(words):
        return False

    return any(pattern.search(words) for pattern in _ANNOUNCED)


def _last_paragraph(text: str) -> str:
    for start, end in fences(text):
        if end >= len(text) and _ACTION_FENCE.match(text, start):
            text = text[:start]
    paragraphs = _PARAGRAPHS.split(text.strip())
    return paragraphs[-1].strip()
