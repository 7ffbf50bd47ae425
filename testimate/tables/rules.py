"""The sets of rules by which the columns of tables have been read."""

BY_NAME, BY_CONTENT, ASKED, SEEN, TOLD, COUNTED, TRANSLATED, EVERYWHERE, PAIRED, LONE, FOUND = range(1, 12)
"""The sets of rules by which tables were read, the last one now. A table or a plan that was stored keeps its own.

``ASKED`` : as by content, and several predictions are asked about, a word in a name can say that it is the truth, and chances
need no prediction. ``SEEN`` : as asked, and classes that look alike are asked about, as is a set of as many classes in every
row; a word for a prediction in a name counts before chances alone do, and chances may have a class anywhere in their names.
``TOLD`` : as seen, and what tells the answers besides the truth is hidden (``telling``), the only classes beside keys and
chances are the prediction, and fields or all columns that sum to 1 are chances. ``COUNTED`` : as told, and numbers from 1 on
count the classes from 1, classes beside their chances are no outputs to judge, lists of chances are hidden, and the names
of LightEval and of transcripts are known. ``TRANSLATED`` : as counted, and names of columns may be in other languages, a column
that exchanges the classes of the predictions is asked about, a label beside its chance alone is the prediction, and lists in
cells are chances of the classes or a row for each of their values (``packed_cells``).
``EVERYWHERE`` : as translated, and names in other letters than Latin ones number no rows in results of earlier models either,
a column is said to be shown only where testers see it, and a model's second guesses are hidden.
``PAIRED`` : as everywhere, and columns belong together by their names (``pairs``), a chance is the prediction of what it tells
apart, and an output of a few words is a prediction where another column agrees with it; tables of other models are read as the
tested one's is, and labels beside files may be any table. Of listed classes with scores the largest is read, not the first, and
numbers that were made from a known truth are hidden.
``LONE`` : as paired, and the only answers beside keys, texts and files are the prediction, whatever they are called
(``lone_evidence``); a name of the truth is enough for one with the predicted classes, however few rows agree. A first line like
those below it is a row (``first_row``), and labels that share no class with the predictions are refused (``classes_of_names``).
An output that is called so, or a prediction of sentences, has its question and its reference by their names
(``judged_evidence``), further names of outputs are known, and what a judge decided is no truth. A reply is shown whole, with
its calls of tools (``evaluation_records``), and rows of several systems are asked about.
``FOUND`` : as lone, and names of files, addresses and times are no classes, and numbers without a question no outputs;
several chances, and columns of the same classes, are asked about; folders that go with the predictions are shown to no
tester. Folders of inputs may say in several words which split they are, and labels stand in any table that names the inputs.
Of an output that is called as a truth may be, too, the one that a model is said to have written is taken, and what may be the
truth by its classes is hidden where few rows cannot tell. Of an output a name counts only where the cells do not contradict
it: whether a call went well is not whether its answer is right, one grade in every row is none, and two texts that are called
outputs are asked about.
Classes beside a number are the prediction only where that may be their chance; a lone first line that stands below it, too, is
asked about. The predicted classes in other words, such as numbers beside names, and why they were predicted are hidden,
as is what a predicted set or list names far more often than by chance. Lists beside one true name are asked about, names
of several words in one, and in further languages, tell what agrees; of several predicted numbers each has the truth that is
called as it is.
Beside a known truth features stay features, however well their numbers or their yes and no agree (``feature_evidence``), and
bands of the model's chances are hidden. Names of predicted classes are no groups, lists of what columns of shares are called
are predictions, a truth of 0 and 1 has its chance beside it, amounts by their names are numbers, and coefficients of a model
are no predictions. Two columns may tell systems apart together.
A number that is 1 exactly where predictions are right is hidden, as is a confidence beside a verdict on an output. Sets
that share no class with the labels are refused, and empty cells that are labels and predictions are asked about.
A column is the truth of the prediction that is named after it, chances named after a column are those of its classes, and
numbers made of the chance of the true class are hidden. Classes that a chance splits at one number are predicted, and the
cells of WEKA, of fastText, and of lists of classes beside their chances are read.
Records in lists under keys are the rows (``keyed_records``), and each of several replies to an input may be the output. A
word such as gold alone tells the reference, replies may recur, and what is about another system's output is no
judge's. The likeliest of choices with chances is the output, the value of an object with one field is read, and columns that
name predicted classes, as verdicts that count as right too do, are hidden.
A reply from which the predicted class was read is hidden, as is what judges said and how sure they were; an output that was
made of another text, and the only classes beside texts that may be replies, are asked about (``about_output``).
Objects with the same fields are output and reference as a whole (``whole_objects``), a person's text that resembles the output
is the reference, and cases in the lists of a report are the rows (``rows_within``).
Of what a program and a person said, as names tell, the person's is the truth; numbers beside their difference are predicted and
true, or asked about; so are chances of several models beside one outcome (``beside_person_evidence``).
This set has grown under its number: a table stored by it is read by its stored reading first (``subjects.stored_roles``).
"""

LATEST = FOUND
"""The rules by which tables are read now."""
