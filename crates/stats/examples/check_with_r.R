# Asks R what `cargo run -q -p stats --example cases` has printed, and compares. Base R only.
lines <- readLines(commandArgs(trailingOnly = TRUE)[1])
checked <- 0; wrong <- 0; counts <- list()
numbers <- function(text) as.numeric(strsplit(text, ",")[[1]])

ask <- function(name, x) {
  quiet <- suppressWarnings
  switch(name,
    mann_whitney_exact = {
      t <- quiet(wilcox.test(x[[1]], x[[2]], exact = TRUE))
      w <- t$statistic[[1]]; pairs <- length(x[[1]]) * length(x[[2]])
      c(u = min(w, pairs - w), p = t$p.value, a12 = 1 - w / pairs)
    },
    mann_whitney_ties = {
      t <- quiet(wilcox.test(x[[1]], x[[2]], exact = FALSE, correct = TRUE))
      c(p = t$p.value, a12 = 1 - t$statistic[[1]] / (length(x[[1]]) * length(x[[2]])))
    },
    hodges_lehmann = {
      t <- wilcox.test(x[[2]], x[[1]], exact = TRUE, conf.int = TRUE)
      c(value = t$estimate[[1]], low = t$conf.int[1], high = t$conf.int[2])
    },
    mann_kendall = {
      y <- x[[1]]; n <- length(y)
      s <- sum(sapply(2:n, function(j) sum(sign(y[j] - y[seq_len(j - 1)]))))
      # cor.test's z has the same variance, as the times are not tied.
      t <- quiet(cor.test(seq_len(n), y, method = "kendall", exact = FALSE, continuity = TRUE))
      c(s = s, p = t$p.value)
    },
    autocorrelation = { a <- acf(x[[1]], lag.max = 5, plot = FALSE)$acf; c(lag1 = a[2], lag5 = a[6]) },
    clopper_pearson = { i <- binom.test(x[[1]][1], x[[1]][2])$conf.int; c(low = i[1], high = i[2]) },
    chi_square = {
      t <- x[[1]]; m <- matrix(c(t[1], t[2] - t[1], t[3], t[4] - t[3]), 2)
      r <- quiet(chisq.test(m, correct = FALSE)); c(statistic = r$statistic[[1]], p = r$p.value)
    },
    fisher = { t <- x[[1]]; c(p = fisher.test(matrix(c(t[1], t[2] - t[1], t[3], t[4] - t[3]), 2))$p.value) },
    quantile95 = c(type1 = quantile(x[[1]], .95, type = 1)[[1]], type6 = quantile(x[[1]], .95, type = 6)[[1]],
                   type7 = quantile(x[[1]], .95, type = 7)[[1]]),
    mean = { t <- t.test(x[[1]]); c(value = t$estimate[[1]], low = t$conf.int[1], high = t$conf.int[2]) },
    regress = {
      d <- data.frame(x = x[[1]], y = x[[2]]); f <- lm(y ~ x, d); i <- confint(f)
      g <- lm(y ~ x + I(x^2), d)
      c(slope = coef(f)[[2]], low = i[2, 1], high = i[2, 2], intercept = coef(f)[[1]],
        r2 = summary(f)$r.squared, curvature = summary(g)$coefficients[3, 3])
    },
    usl = {
      d <- data.frame(n = x[[1]], t = x[[2]])
      f <- nls(t ~ l * n / (1 + s * (n - 1) + k * n * (n - 1)), d, start = list(l = 90, s = .04, k = .001),
               control = nls.control(tol = 1e-9, warnOnly = TRUE))
      c(lambda = coef(f)[["l"]], sigma = coef(f)[["s"]], kappa = coef(f)[["k"]],
        kappa_se = summary(f)$coefficients["k", 2])
    },
    benjamini_hochberg = { a <- p.adjust(x[[1]], "BH"); c(first = a[1], last = a[6]) },
    NULL)
}

# How near two answers must be: closed forms exactly, fits to their own tolerance.
tolerance <- c(usl = 1e-4, detectable = 1e-3)
for (line in lines) {
  parts <- strsplit(line, "\t")[[1]]
  answer <- ask(parts[1], lapply(strsplit(parts[2], ";")[[1]], numbers))
  if (is.null(answer)) next
  said <- strsplit(strsplit(parts[3], ";")[[1]], "=")
  for (pair in said) {
    ours <- as.numeric(pair[2]); theirs <- answer[[pair[1]]]
    near <- if (parts[1] %in% names(tolerance)) tolerance[[parts[1]]] else 1e-9
    checked <- checked + 1
    counts[[parts[1]]] <- (if (is.null(counts[[parts[1]]])) 0 else counts[[parts[1]]]) + 1
    if (!isTRUE(abs(ours - theirs) <= near * max(1e-6, abs(theirs)))) {
      wrong <- wrong + 1
      cat(sprintf("%s %s: ours %.12g, R %.12g\n", parts[1], pair[1], ours, theirs))
    }
  }
}
cat(sprintf("%d figures compared with R %s, %d differ\n", checked, getRversion(), wrong))
for (name in names(counts)) cat(sprintf("  %-20s %d\n", name, counts[[name]]))
quit(status = if (wrong > 0) 1 else 0)
