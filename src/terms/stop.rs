//! The words of a query that say nothing about which tool is wanted.

/// Whether a folded query word says nothing about which tool is wanted: articles, pronouns, prepositions, auxiliary
/// verbs, question words, contractions without their apostrophe, and what people wrap around a request in a chat
/// (want, need, help, please, find). Verbs that tell tools apart (list, search, create, update, delete) are not
/// among them, nor are the particles that turn a verb (up, down, off, out). For queries only: a
/// document keeps all its words, and a caller that would be left with none keeps them all. Costs eight comparisons.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Sorted by bytes, which the search needs and a test holds. English only: what a word of another language says, a
/// list that nobody here can judge would only guess at, and a word that every tool has weighs little anyway. `id` is
/// missing on purpose: as "I'd" it says nothing, as an identifier much.
#[rustfmt::skip]
pub(super) static STOP_WORDS: &[&str] = &[
    "a", "able", "about", "again", "also", "although", "am", "among", "an", "and", "any", "anything", "are",
    "arent", "as", "at", "be", "because", "been", "being", "between", "but", "by", "can", "cant", "could",
    "couldnt", "did", "didnt", "do", "does", "doesnt", "doing", "done", "dont", "during", "else", "everything",
    "find", "for", "from", "get", "give", "had", "hadnt", "has", "hasnt", "have", "havent", "having", "he", "hello",
    "help", "her", "here", "hers", "hi", "him", "his", "how", "i", "if", "ill", "im", "in", "into", "is", "isnt",
    "it", "its", "itself", "ive", "just", "know", "let", "lets", "like", "look", "looking", "make", "may", "me",
    "might", "mine", "must", "my", "myself", "need", "needed", "needs", "no", "nor", "not", "of", "on", "only",
    "onto", "or", "ought", "our", "ours", "please", "quite", "really", "shall", "she", "should", "shouldnt", "show",
    "so", "some", "someone", "something", "such", "sure", "tell", "than", "thank", "thanks", "that", "thats", "the",
    "their", "theirs", "them", "then", "there", "these", "they", "this", "those", "though", "to", "too", "trying",
    "upon", "us", "use", "using", "very", "via", "want", "wanted", "wants", "was", "wasnt", "we", "were", "werent",
    "what", "whats", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "within", "wont", "would", "wouldnt", "you", "your", "youre", "yours", "yourself",
];
