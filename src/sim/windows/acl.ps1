# Access control lists: real ones on Windows; elsewhere derived from the file mode.

function Get-Acl {
    [CmdletBinding()]
    param([string]$LiteralPath)
    # A test can set a foreign owner.
    $foreign = $env:KUBECTL_WIN_FOREIGN -and $LiteralPath -eq $env:KUBECTL_WIN_FOREIGN
    if (-not $foreign -and $PSVersionTable.Platform -ne 'Unix') { return Microsoft.PowerShell.Security\Get-Acl @PSBoundParameters }
    $owner = if ($foreign) { 'S-1-5-21-1004336348-1177238915-682003330-1104' } else { 'BA' }
    $item = Get-Item -LiteralPath $LiteralPath -Force
    $closed = $PSVersionTable.Platform -eq 'Unix' -and ([int]$item.UnixFileMode -band 63) -eq 0
    $access = if ($closed) { 'PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)' } else { 'AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;CIID;DCLCRPCR;;;BU)' }
    [pscustomobject]@{ Path = $LiteralPath; Sddl = "O:${owner}G:SYD:$access" }
}
